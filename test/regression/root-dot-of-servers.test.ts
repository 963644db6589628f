import { ProviderError } from 'kalends/ports';
import { expect, it, onTestFinished } from 'vitest';
import { createGuessLimit } from '../../src/accounts/guess-limit.ts';
import { createSignInCheck } from '../../src/accounts/sign-in-check.ts';
import { parseSecrets } from '../../src/runtime/index.ts';
import { fakeProvider } from '../accounts/fake-provider.ts';
import { openInMemory } from '../storages/opened-storage.ts';

it('counts guesses at a server together, with the dot of the root in its name and without', async () => {
  const { clock, storage } = await openInMemory();
  onTestFinished(() => storage.close());
  const silent = () => undefined;
  const checks = createSignInCheck({
    guesses: createGuessLimit(storage.leases, parseSecrets(Buffer.alloc(32, 7).toString('base64'))),
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
