import { KalendsError, ProviderError, type ProviderFailureReason } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { asPublicFailure, providerFailure, toPublicError } from '../../src/accounts/provider-failure.ts';
import { failureOf } from './composed-engine.ts';

/** Every reason that a provider may give, and the public error it becomes. */
const EXPECTED: Readonly<Record<ProviderFailureReason, readonly [number, string]>> = {
  'invalid-grant': [409, 'InvalidRefreshToken'],
  operator: [502, 'ProviderError'],
  unauthorized: [502, 'ProviderError'],
  forbidden: [403, 'Forbidden'],
  'not-organizer': [403, 'Forbidden'],
  'partly-taken': [403, 'Forbidden'],
  'not-found': [404, 'NotFound'],
  'precondition-failed': [412, 'PreconditionFailed'],
  conflict: [409, 'Conflict'],
  'sync-token-expired': [502, 'ProviderError'],
  unsupported: [422, 'UnsupportedByProvider'],
  invalid: [400, 'InvalidRequest'],
  'push-unsupported': [502, 'ProviderError'],
  'rate-limited': [429, 'RateLimited'],
  unavailable: [503, 'ProviderUnavailable'],
  timeout: [504, 'ProviderTimeout'],
  malformed: [502, 'ProviderError'],
  unreadable: [502, 'ProviderError'],
};

describe('a failed provider call', () => {
  it.each(Object.entries(EXPECTED))('for %s becomes %j', (reason, [status, code]) => {
    const error = new ProviderError(reason as ProviderFailureReason, 'detail');
    const failure = providerFailure(error);
    expect(failure).toMatchObject({ status, code, cause: error });
    expect(failure.message).not.toBe('');
  });

  it('names the field at fault', () => {
    for (const reason of ['unsupported', 'invalid', 'not-organizer', 'partly-taken'] as const) {
      const failure = providerFailure(new ProviderError(reason, 'FREQ=HOURLY cannot be kept', { field: 'recurrence' }));
      expect(failure.details).toEqual([{ path: 'recurrence', message: 'FREQ=HOURLY cannot be kept' }]);
    }
    expect(providerFailure(new ProviderError('invalid', 'x')).details).toBeUndefined();
  });

  it('says when to try again', () => {
    for (const reason of ['rate-limited', 'unavailable'] as const) {
      expect(providerFailure(new ProviderError(reason, 'x', { retryAfterMs: 1_500 })).retryAfterMs).toBe(1_500);
      expect(providerFailure(new ProviderError(reason, 'x')).retryAfterMs).toBe(30_000);
    }
    expect(providerFailure(new ProviderError('timeout', 'x')).retryAfterMs).toBeUndefined();
  });

  it('leaves other errors as they are', async () => {
    const bug = new TypeError('bug');
    expect(toPublicError(bug)).toBe(bug);
    expect(await failureOf(asPublicFailure(Promise.reject(bug)))).toBe(bug);
    expect(
      KalendsError.isInstance(await failureOf(asPublicFailure(Promise.reject(new ProviderError('timeout', 'x'))))),
    ).toBe(true);
    expect(await asPublicFailure(Promise.resolve(1))).toBe(1);
  });
});
