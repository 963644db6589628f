import { seededRandom, waitlessClock } from '@kalends/conformance';
import { google, googleEndpoints } from '@kalends/google';
import { createSandbox } from '@kalends/sandbox';
import { afterAll, test } from 'vitest';
import { accountConformance } from '../../docs/examples/account-conformance.js';

const EMAIL = 'ada@gmail.example';
const CLIENT = { clientId: 'client', clientSecret: 'secret', settings: {} };
const ROOT = 'http://sandbox.test';

const sandbox = createSandbox({ seed: 3 });
sandbox.google.addMailbox({ email: EMAIL, name: 'Ada', timeZone: 'Europe/London' });
sandbox.google.addClient({ ...CLIENT, redirectUris: ['http://localhost/callback'] });

/** The example, with the sandbox in the provider's place. */
const clean = accountConformance({
  test: (name: string, run: () => Promise<void>) => test(name, () => run()),
  provider: google({
    ...googleEndpoints(`${ROOT}/google`),
    fetch: async (input, init) => sandbox.fetch(new Request(input, init)),
    // A local server is quicker than Google's limits.
    limits: { callsPerInterval: Number.POSITIVE_INFINITY },
    clock: waitlessClock(() => sandbox.clock.now()),
    random: seededRandom(5),
  }),
  client: CLIENT,
  refreshToken: sandbox.google.issueRefreshToken({ email: EMAIL, clientId: CLIENT.clientId }),
  generatedEvents: 3,
});

afterAll(async () => {
  await clean();
  await sandbox.close();
});
