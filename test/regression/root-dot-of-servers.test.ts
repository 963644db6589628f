import { manualClock } from '@kalends/conformance';
import { ProviderError } from 'kalends/ports';
import { expect, it } from 'vitest';
import { createGuessLimit } from '../../src/accounts/guess-limit.ts';
import { createSignInCheck } from '../../src/accounts/sign-in-check.ts';
import { fakeProvider } from '../accounts/fake-provider.ts';

it('counts guesses at a server together, with the dot of the root in its name and without', async () => {
  const clock = manualClock(0);
  const silent = () => undefined;
  const checks = createSignInCheck({
    guesses: createGuessLimit(clock),
    clock,
    logger: { debug: silent, info: silent, warn: silent, error: silent },
  });
  const provider = {
    ...fakeProvider(() => 0).provider,
    authorization: {
      kind: 'credentials' as const,
      kinds: ['password' as const],
      verify: () => Promise.reject(new ProviderError('invalid-grant', 'no')),
    },
  };
  const codes: unknown[] = [];
  for (let guess = 0; guess < 6; guess += 1) {
    const serverUrl = `https://dav.example${guess % 2 === 0 ? '' : '.'}/`;
    const signIn = { kind: 'password' as const, serverUrl, username: 'ada', password: `${guess}` };
    codes.push(await checks.verify({ providerType: 'CALDAV', provider }, signIn).catch(({ code }) => code));
  }
  expect(codes).toEqual([...Array(5).fill('InvalidCredentials'), 'RateLimited']);
});
