import { ProviderError, type ProviderFailureReason } from 'kalends/ports';
import { expect, it } from 'vitest';
import { failureOf, openComposedEngine } from '../accounts/composed-engine.ts';

const REFUSALS: readonly ProviderFailureReason[] = ['invalid', 'unsupported', 'conflict', 'precondition-failed'];

it.each(REFUSALS)('a first pull that the provider answers with %s is no fault of the caller', async (reason) => {
  const { engine, caller, connect, fake } = await openComposedEngine();
  const accountId = await connect();
  fake.failures.set('events.pull', new ProviderError(reason, 'pageToken: Invalid page token value.'));
  const { events, operations } = engine.services;
  const list = () => failureOf(events.list(caller, accountId, 'primary', {}));
  expect(await list()).toMatchObject({ code: 'ProviderError', status: 502, details: undefined });
  // Also where it is the pull before that has failed.
  expect(await list()).toMatchObject({ code: 'ProviderError' });
  const { collections } = await operations.getSyncHealth(caller.applicationId, accountId);
  expect(collections.find(({ calendarId }) => calendarId === 'primary')).toMatchObject({
    lastFailure: { code: 'ProviderError' },
  });
});
