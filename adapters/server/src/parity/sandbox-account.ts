import { type ParityAccount, waitlessClock } from '@kalends/conformance';
import { createSandbox } from '@kalends/sandbox';
import type { Fetch } from 'kalends/ports';
import { type ProviderName, providerAt } from './provider-at.ts';

const CLIENT = { clientId: 'parity', clientSecret: 'a secret of the sandbox', settings: {} };
const EMAIL = 'parity@sandbox.example';
/** No server listens there: requests go straight to the sandbox. */
const ROOT = 'http://sandbox.test';

/** Creates a sandbox with one mailbox, as the account that a run is compared with. Its chance oddities are off. */
export function sandboxAccount(name: ProviderName, timeZone = 'Europe/London'): ParityAccount {
  const sandbox = createSandbox({ seed: 7 });
  const server = sandbox[name];
  server.addMailbox({ email: EMAIL, name: 'Parity', timeZone });
  server.addClient({ ...CLIENT, redirectUris: ['http://localhost/'] });
  if (name === 'microsoft') {
    server.controls['setExtraChangeKeys']?.({ share: 0 });
    const oddities = { missedOccurrenceDeletions: 0, repeatedDeltaEntities: 0, omittedDeltaMasters: 0 };
    server.controls['setDeltaUnreliability']?.(oddities);
  }
  const now = () => sandbox.clock.now();
  const clock = waitlessClock(now, (ms) => sandbox.clock.advance(ms));
  const fetch: Fetch = (input, init) => sandbox.fetch(new Request(input, init));
  return {
    createProvider: (recorded) => providerAt(name, `${ROOT}/${name}`, clock, recorded),
    fetch,
    client: CLIENT,
    refreshToken: server.issueRefreshToken({ email: EMAIL, clientId: CLIENT.clientId }),
    now,
  };
}
