import { type ParityAccount, seededRandom, waitlessClock } from '@kalends/conformance';
import { createSandbox } from '@kalends/sandbox';
import type { Fetch } from 'kalends/ports';
import { type ProviderName, providerAt } from './provider-at.ts';

const CLIENT = { clientId: 'parity', clientSecret: 'a secret of the sandbox', settings: {} };
const EMAIL = 'parity@sandbox.example';
/** No server listens there: requests go straight to the sandbox. */
const ROOT = 'http://sandbox.test';
/** Time that passes with each request. */
const REQUEST_MS = 50;

/**
 * Creates a sandbox with one mailbox, as the account that a run is compared with. Its chance oddities are off, and its clock
 * moves by requests and skipped waits alone, so that a run is the same each time.
 * @param startAt epoch milliseconds
 */
export function sandboxAccount(name: ProviderName, startAt: number): ParityAccount {
  const sandbox = createSandbox({ seed: 7, clock: { now: () => startAt } });
  const server = sandbox[name];
  server.addMailbox({ email: EMAIL, name: 'Parity', timeZone: 'Europe/London' });
  server.addClient({ ...CLIENT, redirectUris: ['http://localhost/'] });
  if (name === 'microsoft') {
    server.controls['setExtraChangeKeys']?.({ share: 0 });
    const oddities = { missedOccurrenceDeletions: 0, repeatedDeltaEntities: 0, omittedDeltaMasters: 0 };
    server.controls['setDeltaUnreliability']?.(oddities);
  }
  const now = () => sandbox.clock.now();
  const clock = waitlessClock(now, (ms) => sandbox.clock.advance(ms));
  const random = seededRandom(7);
  const fetch: Fetch = (input, init) => {
    sandbox.clock.advance(REQUEST_MS);
    return sandbox.fetch(new Request(input, init));
  };
  return {
    createProvider: (recorded) => providerAt(name, { root: `${ROOT}/${name}`, clock, random, fetch: recorded }),
    fetch,
    client: CLIENT,
    refreshToken: server.issueRefreshToken({ email: EMAIL, clientId: CLIENT.clientId }),
    now,
  };
}
