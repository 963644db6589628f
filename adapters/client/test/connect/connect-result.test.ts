import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redirectBack } from '../../../../src/accounts/redirect-back.ts';
import { readConnectResult, withoutConnectResult } from '../../src/connect/connect-result.ts';

const PAGE = 'https://app.example/connected';

describe('readConnectResult', () => {
  it.each([
    ['an address of its own', PAGE],
    ['a state alone', `${PAGE}?state=abc`],
    ['an empty account', `${PAGE}?endUserAccountId=&state=abc`],
    ['an empty error', `${PAGE}?error=&error_description=none`],
  ])('finds no outcome in %s', (_, address) => {
    expect(readConnectResult(address)).toBeUndefined();
    expect(withoutConnectResult(address)).toBe(address);
  });

  it('reads an account, with and without a state', () => {
    expect(readConnectResult(`${PAGE}?endUserAccountId=acc_1&state=a%2Bb%3D`)).toEqual({
      status: 'connected',
      endUserAccountId: 'acc_1',
      state: 'a+b=',
    });
    expect(readConnectResult(new URL(`${PAGE}?endUserAccountId=acc_1#top`))).toMatchObject({ state: null });
  });

  it('reads an error', () => {
    const address = `${PAGE}?tab=2&error=login_hint_mismatch&error_description=Another%20mailbox&state=abc`;
    const failed = { status: 'failed', code: 'login_hint_mismatch', description: 'Another mailbox', state: 'abc' };
    expect(readConnectResult(address)).toEqual(failed);
    expect(withoutConnectResult(`${address}#top`)).toBe(`${PAGE}?tab=2#top`);
  });

  it("takes the service's parameters, which are the last, for those of a redirect URL that has the same names", () => {
    const own = `${PAGE}?state=own&error=own&endUserAccountId=own`;
    const connected = `${own}&endUserAccountId=acc_1`;
    expect(readConnectResult(connected)).toEqual({ status: 'connected', endUserAccountId: 'acc_1', state: null });
    expect(withoutConnectResult(connected)).toBe(own);
    const failed = `${own}&error=access_denied&error_description=No&state=abc`;
    expect(readConnectResult(failed)).toMatchObject({ status: 'failed', code: 'access_denied', state: 'abc' });
    expect(withoutConnectResult(failed)).toBe(own);
  });
});

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const redirectUrl = fc
  .array(fc.tuple(fc.constantFrom('a', 'state', 'error', 'endUserAccountId', 'error_description'), text), {
    maxLength: 4,
  })
  .map((query) => (query.length === 0 ? PAGE : `${PAGE}?${new URLSearchParams(query)}`));

it('reads what the service adds to any redirect URL, and restores the URL', () => {
  fc.assert(
    fc.property(redirectUrl, text, text, fc.option(text), (url, one, description, state) => {
      const connected = redirectBack(url, { endUserAccountId: one, state });
      expect(readConnectResult(connected)).toEqual({ status: 'connected', endUserAccountId: one, state });
      expect(withoutConnectResult(connected)).toBe(url);
      const failed = redirectBack(url, { error: one, error_description: description, state });
      expect(readConnectResult(failed)).toEqual({ status: 'failed', code: one, description, state });
      expect(withoutConnectResult(failed)).toBe(url);
    }),
  );
});
