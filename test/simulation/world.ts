import { caldav } from '@kalends/caldav';
import { seededRandom } from '@kalends/conformance';
import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox, type Sandbox } from '@kalends/sandbox';
import { createEngine, type Engine, type EngineOptions } from 'kalends';
import type { Clock, Fetch, Logger, Storage } from 'kalends/ports';
import { openHeldStorage } from '../storages/held-storage.ts';
import { createPerson, type Person } from './person.ts';
import type { ProviderName } from './provider-acts.ts';
import { type VirtualTime, virtualTime } from './virtual-time.ts';

export const CLIENT = { clientId: 'client', clientSecret: 'client-secret' };
export const PUBLIC_URL = 'http://kalends.test/api';
const SANDBOX_URL = 'http://sandbox.test';

/** Short intervals, so that few virtual minutes hold many polls. */
export const SYNC: NonNullable<EngineOptions['sync']> = {
  freshWithPushMs: 60_000,
  freshWithoutPushMs: 5_000,
  pollWithPushMs: 60_000,
  maxPushStalenessMs: 180_000,
  pollWithoutPushMs: 20_000,
};

export const PROVIDER_TYPES = { google: 'PROVIDER_A', microsoft: 'PROVIDER_B', caldav: 'PROVIDER_C' } as const;

/** Both providers, one storage and one time; engines are started on it. */
export interface SimulatedWorld {
  readonly time: VirtualTime;
  readonly sandbox: Sandbox;
  readonly storage: Storage;
  readonly provider: ProviderName;
  readonly person: Person;
  /** When the provider was told each title, first and last, counted in writes: the later one is the newer knowledge. */
  readonly titles: ReadonlyMap<string, { readonly first: number; readonly last: number }>;
  /** The provider as the engines reach it, without any fault. */
  readonly reach: Fetch;
  readonly applicationId: string;
  readonly accountId: string;
  /** Sets the receiver of the provider's pushes. */
  setReceiver(receiver: (request: Request) => Promise<Response>): void;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly provider: ProviderName;
  readonly seed: number;
  /** A path or an address, as `storageAt` takes it. @default SQLite in memory */
  readonly database?: string;
}

/** A connected account at one provider. */
export async function createSimulatedWorld({
  provider,
  seed,
  database = ':memory:',
}: WorldOptions): Promise<SimulatedWorld> {
  const time = virtualTime();
  let receiver: (request: Request) => Promise<Response> = async () => {
    throw new TypeError('fetch failed: no process listens');
  };
  const sandbox = createSandbox({
    seed,
    clock: time,
    time: { now: time.now, wait: (ms) => time.sleep(ms) },
    fetch: async (input, init) => {
      time.stir();
      return await receiver(new Request(input, init));
    },
  });
  const reach: Fetch = async (input, init) => {
    time.stir();
    const request = new Request(input, init);
    const url = new URL(request.url);
    const [, name] = url.pathname.split('/');
    url.pathname = url.pathname.slice(`/${name}`.length);
    const { method, headers } = request;
    const text = method === 'GET' ? '' : await request.text();
    const body = text === '' ? undefined : text;
    const answer = () => {
      if (body !== undefined) heard(body);
      const inner = new Request(url, { method, headers, ...(body ? { body } : {}) });
      return sandbox[name as ProviderName].fetch(inner, `${SANDBOX_URL}/${name}`);
    };
    // Identity tokens are signed by threads.
    const response = await (/\/token$/.test(url.pathname) ? time.hold(answer) : answer());
    time.stir();
    return response;
  };
  const titles = new Map<string, { readonly first: number; readonly last: number }>();
  let writes = 0;
  const heard = (body: string) => {
    writes += 1;
    // An object of CalDAV has the titles of its exceptions too.
    for (const [, inJson, inText] of body.matchAll(/"(?:summary|subject)":"([^"]+)"|^SUMMARY:(.+?)\r?$/gm)) {
      const title = inJson ?? inText ?? '';
      titles.set(title, { first: titles.get(title)?.first ?? writes, last: writes });
    }
  };
  const storage = await openHeldStorage(database, time);
  const person = await createPerson({ sandbox, provider, time }, `person@${provider}.example`, heard);
  const engine = engineOn({ storage, fetch: reach, clock: time, seed: seed + 1 });
  const { id: applicationId } = await engine.applications.create({ name: 'Test', redirectUrls: [] });
  const account = await time.until(
    time.hold(() => connectAccount(engine, sandbox, { provider, applicationId, email: person.email })),
  );
  return {
    time,
    sandbox,
    storage,
    provider,
    person,
    titles,
    reach,
    applicationId,
    accountId: account.id,
    setReceiver(next) {
      receiver = next;
    },
    async close() {
      await sandbox.close();
      await storage.close();
    },
  };
}

/** Connects a person's account, as each provider gives access. */
export async function connectAccount(
  engine: Engine,
  sandbox: Sandbox,
  {
    provider,
    applicationId,
    email,
  }: { readonly provider: ProviderName; readonly applicationId: string; readonly email: string },
) {
  const providerType = PROVIDER_TYPES[provider];
  if (provider === 'caldav') {
    const password = sandbox.caldav.addAppPassword({ email });
    const serverUrl = `${SANDBOX_URL}/caldav/`;
    const credentials = { kind: 'password', serverUrl, username: email, password } as const;
    return (await engine.accounts.upsert({ applicationId }, { email, providerType, credentials })).account;
  }
  sandbox[provider].addClient({ ...CLIENT, redirectUris: ['https://app.test/'] });
  await engine.oauthClients.set(applicationId, providerType, CLIENT);
  const refreshToken = sandbox[provider].issueRefreshToken({ email, clientId: CLIENT.clientId });
  return (await engine.accounts.upsert({ applicationId }, { email, providerType, refreshToken })).account;
}

/** The ports of one engine of a simulated world. */
export interface EnginePorts {
  readonly storage: Storage;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Each engine of a storage needs its own, or two make the same ids. The world has used its seed and the next. */
  readonly seed: number;
  readonly sync?: EngineOptions['sync'];
  readonly logger?: Logger;
}

export function engineOn(ports: EnginePorts): Engine {
  return createEngine(engineOptionsOn(ports));
}

/** Small pages and short patience. */
export function engineOptionsOn(ports: EnginePorts): EngineOptions {
  const { storage, fetch, clock } = ports;
  const random = seededRandom(ports.seed);
  const base = { fetch, clock, random };
  const logger = ports.logger === undefined ? {} : { logger: ports.logger };
  return {
    storage,
    clock,
    random,
    // Plots decide nothing here, and their sleeps would move the one in which a process is killed.
    measurements: false,
    ...logger,
    providers: {
      PROVIDER_A: google({
        ...googleEndpoints(`${SANDBOX_URL}/google`),
        ...base,
        limits: { pageSize: 3 },
        retry: { attempts: 2 },
      }),
      PROVIDER_B: microsoft({
        ...microsoftEndpoints(`${SANDBOX_URL}/microsoft`),
        ...base,
        ...logger,
        limits: { pageSize: 3 },
        retry: { attempts: 2 },
      }),
      PROVIDER_C: caldav({ ...base, ...logger, limits: { objectsPerCall: 3 }, retry: { attempts: 2 } }),
    },
    secret: Buffer.alloc(32, 7).toString('base64'),
    publicUrl: PUBLIC_URL,
    webhooks: { allowedNetworks: ['127.0.0.0/8'] },
    sync: { ...SYNC, ...ports.sync },
  };
}
