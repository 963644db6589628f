import { caldav } from '@kalends/caldav';
import { waitlessClock } from '@kalends/conformance';
import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { type Caller, createEngine, type Engine } from 'kalends';
import type { ProviderCapabilities } from 'kalends/ports';

export const PROVIDER_NAMES = ['google', 'caldav', 'microsoft'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** A calendar to copy from or to. */
export interface Place {
  readonly name: ProviderName;
  readonly accountId: string;
  readonly calendarId: string;
  readonly capabilities: ProviderCapabilities;
}

export interface CopyWorld {
  readonly engine: Engine;
  readonly caller: Caller;
  /** Connects a new mailbox at the provider; its primary calendar is the place. */
  makePlace(name: ProviderName): Promise<Place>;
  close(): Promise<void>;
}

const SANDBOX_URL = 'http://sandbox.test';
const CLIENT = { clientId: 'client', clientSecret: 'client-secret' };
const TIME_ZONE = 'Europe/Berlin';

/** One engine at the sandbox's three providers. */
export async function createCopyWorld(): Promise<CopyWorld> {
  const sandbox = createSandbox({ seed: 5, fetch: async () => new Response(null, { status: 204 }) });
  const clock = waitlessClock(() => sandbox.clock.now());
  const network = async (input: string | URL | Request, init?: RequestInit) => sandbox.fetch(new Request(input, init));
  const base = { fetch: network, clock, limits: { callsPerInterval: Number.POSITIVE_INFINITY } };
  const providers = {
    GOOGLE: google({ ...googleEndpoints(`${SANDBOX_URL}/google`), ...base }),
    CALDAV: caldav(base),
    MICROSOFT: microsoft({ ...microsoftEndpoints(`${SANDBOX_URL}/microsoft`), ...base }),
  };
  const engine = createEngine({
    storage: sqlite({ path: ':memory:' }),
    providers,
    secret: Buffer.alloc(32, 7).toString('base64'),
    publicUrl: 'http://kalends.test',
    measurements: false,
  });
  await engine.start({ background: false });
  const { id: applicationId } = await engine.applications.create({ name: 'Copies', redirectUrls: [] });
  const caller = { applicationId };
  for (const name of ['google', 'microsoft'] as const) {
    sandbox[name].addClient({ ...CLIENT, redirectUris: ['https://app.test/'] });
    await engine.oauthClients.set(applicationId, name.toUpperCase(), CLIENT);
  }
  let mailboxes = 0;

  async function connect(name: ProviderName): Promise<string> {
    mailboxes += 1;
    const email = `ada${mailboxes}@${name}.example`;
    sandbox[name].addMailbox({ email, name: 'Ada', timeZone: TIME_ZONE });
    const providerType = name.toUpperCase();
    if (name === 'caldav') {
      const password = sandbox.caldav.addAppPassword({ email });
      const credentials = {
        kind: 'password',
        serverUrl: `${SANDBOX_URL}/caldav/`,
        username: email,
        password,
      } as const;
      return (await engine.accounts.upsert(caller, { email, providerType, credentials })).account.id;
    }
    const refreshToken = sandbox[name].issueRefreshToken({ email, clientId: CLIENT.clientId });
    return (await engine.accounts.upsert(caller, { email, providerType, refreshToken })).account.id;
  }

  return {
    engine,
    caller,
    async makePlace(name) {
      const accountId = await connect(name);
      const calendars = await engine.calendars.list(caller, accountId);
      const calendar = calendars.data.find(({ isPrimary }) => isPrimary);
      if (calendar === undefined) throw new Error(`${name} has no primary calendar`);
      const provider = providers[name.toUpperCase() as keyof typeof providers];
      return { name, accountId, calendarId: calendar.id, capabilities: provider.capabilities(calendar) };
    },
    async close() {
      await engine.stop();
      await sandbox.close();
    },
  };
}
