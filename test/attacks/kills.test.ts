import { expect, it, onTestFinished } from 'vitest';
import { startPostgres } from '../../adapters/postgres/test/server/start-postgres.ts';
import { openDatabase } from '../../adapters/sqlite/src/statement-cache.ts';
import { CLIENT, PROVIDERS, startProviders } from '../engine-world.ts';
import { newDatabase, STORAGES } from '../storages/new-database.ts';
import { type EngineSettings, engineOn } from './processes/engine-process.ts';
import { type Arrival, startFront } from './processes/stalling-front.ts';
import { startEngine } from './processes/start-engine.ts';

/** Work goes on this long after the restart. */
const GOAL_MS = 15_000;
/** Longer than a lease. */
const OUTAGE_MS = 14_000;

const [GOOGLE] = PROVIDERS;
const isList = ({ method, path }: Arrival) => method === 'GET' && path.includes('/events?');
const isWhole = (arrival: Arrival) => isList(arrival) && !arrival.path.includes('syncToken=');
const isPull = (arrival: Arrival) => isList(arrival) && arrival.path.includes('syncToken=');
const isToken = ({ method, path }: Arrival) => method === 'POST' && path.endsWith('/token');
const isWatch = ({ method, path }: Arrival) => method === 'POST' && path.includes('/events/watch');
const isAny = () => true;

/** An account with a subscription, one event that has been delivered, and no process at work. */
async function attackedWorld(database: string) {
  const providers = await startProviders();
  onTestFinished(() => providers.close());
  const front = await startFront(providers.url);
  const receiver = await startFront();
  const settings: EngineSettings = { database, providers: front.url };
  const engine = await engineOn(settings);
  await engine.start({ background: false });
  const { id: applicationId } = await engine.applications.create({ name: 'Test', redirectUrls: [] });
  await engine.oauthClients.set(applicationId, GOOGLE.providerType, CLIENT);
  providers.sandbox.google.addClient({ ...CLIENT, redirectUris: [] });
  const refreshToken = providers.sandbox.google.issueRefreshToken({ email: GOOGLE.email, clientId: CLIENT.clientId });
  const caller = { applicationId };
  const { email, providerType } = GOOGLE;
  const { account } = await engine.accounts.upsert(caller, { email, providerType, refreshToken });
  const { data: calendars } = await engine.calendars.list(caller, account.id, {});
  const calendarId = calendars[0]?.id ?? '';
  await engine.subscriptions.create(caller, account.id, { calendarId, webhookUrl: `${receiver.url}/hook` });
  await providers.addEvent(GOOGLE, 'first');
  const titles = async () => {
    const { data } = await engine.events.list(caller, account.id, calendarId, { limit: 50 });
    return data.map((event) => ('title' in event ? event.title : undefined));
  };
  await expect.poll(titles, { timeout: 60_000 }).toEqual(['first']);
  const { data: events } = await engine.events.list(caller, account.id, calendarId, {});
  const place = { applicationId, accountId: account.id, calendarId, eventId: events[0]?.id ?? '' };
  onTestFinished(() => engine.stop());
  return { providers, front, receiver, settings, place, titles };
}

type World = Awaited<ReturnType<typeof attackedWorld>>;

interface Attack {
  /** The work of the killed process, and the sign that the next one has taken it up. */
  readonly at: (arrival: Arrival) => boolean;
  readonly again?: (arrival: Arrival) => boolean;
  readonly front: (world: World) => World['front'];
  readonly settings?: Partial<EngineSettings>;
  /** Called when the process works. */
  readonly provoke?: (world: World, process: Awaited<ReturnType<typeof startEngine>>) => Promise<void> | void;
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  'a pull': { at: isPull, front: ({ front }) => front },
  reconciliation: { at: isWhole, front: ({ front }) => front, settings: { reconcileEveryMs: 500 } },
  'the refresh of a token': {
    at: isToken,
    front: ({ front }) => front,
    provoke: ({ providers }) => void providers.sandbox.google.controls['expireAccessTokens']?.({ email: GOOGLE.email }),
  },
  'the opening of a channel': {
    at: isWatch,
    front: ({ front }) => front,
    settings: { publicUrl: 'https://kalends.example' },
  },
  'a write': {
    at: ({ method }) => method === 'PATCH',
    // The outcome is read, not sent again.
    again: ({ method, path }) => method === 'GET' && /\/events\/[^?/]+/.test(path),
    front: ({ front }) => front,
    provoke: ({ place }, process) => process.rename({ ...place, title: 'renamed' }),
  },
  'a delivery': {
    at: isAny,
    front: ({ receiver }) => receiver,
    provoke: ({ providers }) => providers.addEvent(GOOGLE, 'second'),
  },
};

const CASES = STORAGES.flatMap((storage) => Object.keys(ATTACKS).map((name) => [storage, name] as const));

it.each(CASES)('on %s, %s that a kill cut off goes on within 15 s of the restart', async (storage, name) => {
  const attack = ATTACKS[name];
  if (attack === undefined) throw new Error(`no attack ${name}`);
  const world = await attackedWorld(await newDatabase(storage));
  const front = attack.front(world);
  const settings = { ...world.settings, ...attack.settings };
  const stalled = front.stall(attack.at);
  const killed = await startEngine(settings);
  await attack.provoke?.(world, killed);
  const letGo = await stalled;
  await killed.kill();
  const again = front.next(attack.again ?? attack.at);
  await startEngine(settings);
  // Starting from sources takes as long as the machine is busy.
  const startedAt = performance.now();
  await again;
  expect(performance.now() - startedAt).toBeLessThan(GOAL_MS);
  letGo();
});

it.each(STORAGES)('on %s, a process that stood still for longer than its leases is fenced off', async (storage) => {
  const world = await attackedWorld(await newDatabase(storage));
  const stalled = world.front.stall(isPull);
  const paused = await startEngine(world.settings);
  const letGo = await stalled;
  paused.signal('SIGSTOP');
  const again = world.front.next(isPull);
  await startEngine(world.settings);
  await again;
  letGo();
  await world.providers.addEvent(GOOGLE, 'second');
  await expect.poll(world.titles, { timeout: 60_000 }).toContain('second');
  const before = paused.said.length;
  paused.signal('SIGCONT');
  const isRefused = () => paused.said.slice(before).some((line) => line.includes('Conflict') || line.includes('lease'));
  await expect.poll(isRefused, { timeout: 60_000 }).toBe(true);
  expect(await world.titles()).toContain('second');
});

/** Two processes, one of which delivers while the database is away for longer than a lease. */
async function deliverThrough(database: string, away: () => Promise<void>): Promise<void> {
  const { settings, receiver, providers } = await attackedWorld(database);
  const stalled = receiver.stall(isAny);
  await Promise.all([startEngine(settings), startEngine(settings)]);
  await providers.addEvent(GOOGLE, 'second');
  const letGo = await stalled;
  await away();
  // A second delivery would have arrived before the next message.
  letGo();
  const next = receiver.next(({ headers }) => headers['hook-id'] !== receiver.arrivals[0]?.headers['hook-id']);
  await providers.addEvent(GOOGLE, 'third');
  await next;
  const ids = receiver.arrivals.map(({ headers }) => headers['hook-id']);
  expect(new Set(ids).size).toBe(ids.length);
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('on sqlite, a file that is locked for longer than a lease takes no delivery from its process', async () => {
  const database = await newDatabase('sqlite');
  await deliverThrough(database, async () => {
    const file = openDatabase(database, ['busy_timeout = 10000']);
    file.execute('begin immediate', []);
    await sleep(OUTAGE_MS);
    file.execute('rollback', []);
    file.close();
    await sleep(OUTAGE_MS);
  });
});

it('on postgres, a server that is away for longer than a lease takes no delivery from its process', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  await deliverThrough(server.url, async () => {
    await server.goAway();
    await sleep(OUTAGE_MS);
    await server.comeBack();
    await sleep(OUTAGE_MS);
  });
});
