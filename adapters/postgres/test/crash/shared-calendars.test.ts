import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { sqlite } from '@kalends/sqlite';
import { createEngine, type Engine } from 'kalends';
import { expect, onTestFinished, test } from 'vitest';
import { CLIENT, PROVIDERS, type Providers, startProviders, type TestProvider } from '../../../../test/engine-world.ts';
import { sizeOf } from '../../../../test/size-of.ts';
import { startPostgres } from '../server/start-postgres.ts';
import { engineOn } from './engine-process.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { byId, createFollower, createWriter, freshList, type Listed, type Query } from './fleet-clients.ts';

/** Rounds of writes for each provider. */
const WRITES = sizeOf('writes', { short: 10, long: 30 });
/** Engine processes that are killed. */
const KILLS = sizeOf('kills', { short: 2, long: 6 });
/** Crashes of the database server. */
const RESTARTS = sizeOf('restarts', { short: 1, long: 4 });
const PROCESSES = 3;
/** Leases of those who were killed are over in seconds. */
const SPEED = 20;
const EXPANDED: Query = {
  startDateTime: '2026-03-01T00:00:00Z',
  endDateTime: '2026-06-01T00:00:00Z',
  expandRecurrences: 'true',
};
const QUERIES: readonly Query[] = [{}, EXPANDED];

/** The path of the events of the provider's mailbox, to be found in a list of its calendars. */
async function connect(engine: Engine, applicationId: string, providers: Providers, provider: TestProvider) {
  const { email, name, providerType } = provider;
  const caller = { applicationId };
  await engine.oauthClients.set(applicationId, providerType, CLIENT);
  const refreshToken = providers.sandbox[name].issueRefreshToken({ email, clientId: CLIENT.clientId });
  const { account } = await engine.accounts.upsert(caller, { email, providerType, refreshToken });
  const { data } = await engine.calendars.list(caller, account.id, {});
  const calendarId = data.find((calendar) => 'isPrimary' in calendar && calendar.isPrimary)!.id;
  return [account.id, calendarId] as const;
}

/** Returns the lists of an engine that has just been connected to the mailbox. */
async function newcomersView(providers: Providers, provider: TestProvider, queries: readonly Query[]) {
  const engine = createEngine({
    storage: sqlite({ path: ':memory:' }),
    providers: {
      PROVIDER_A: google(googleEndpoints(`${providers.url}/google`)),
      PROVIDER_B: microsoft(microsoftEndpoints(`${providers.url}/microsoft`)),
    },
    secret: Buffer.alloc(32, 5).toString('base64'),
    sync: { readWaitMs: 60_000 },
  });
  await engine.start({ background: false });
  const { id: applicationId } = await engine.applications.create({ name: 'Newcomer', redirectUrls: [] });
  const [accountId, calendarId] = await connect(engine, applicationId, providers, provider);
  const views: (readonly Listed[])[] = [];
  for (const query of queries) {
    const { data } = await engine.events.list({ applicationId }, accountId, calendarId, { ...query, limit: '1000' });
    views.push(JSON.parse(JSON.stringify(data)) as Listed[]);
  }
  await engine.stop();
  return views.map(content);
}

/** An invisible change makes no version, so `updatedAt` may lag behind the provider's. */
const content = (data: readonly Listed[]) => data.map((event) => ({ ...event, updatedAt: undefined })).sort(byId);

/** One mailbox and all who work on it: two writers, the person, and two who follow by sync tokens. */
function workOn(fleet: Fleet, events: string, provider: TestProvider, providers: Providers) {
  const writers = ['ann', 'bob'].map((name) => createWriter(fleet, events, `${provider.name} ${name}`));
  const followers = QUERIES.map((query) => ({ query, ...createFollower(fleet, events, query) }));
  const byPerson: string[] = [];
  const person = async () => {
    const title = `${provider.name} person ${byPerson.length}`;
    await providers.addEvent(provider, title);
    byPerson.push(title);
  };
  return {
    /** One round of everybody. */
    async round() {
      await Promise.all([...writers.map(({ write }) => write()), person(), ...followers.map(({ follow }) => follow())]);
    },
    async check() {
      // Looked for at the provider before the answer: a pull that begins now.
      expect(await fleet.ask(`${events}/nothing`)).toMatchObject({ status: 404 });
      const truths = await newcomersView(providers, provider, QUERIES);
      for (const [index, { query, follow, held }] of followers.entries()) {
        const fresh = await freshList(fleet, events, query);
        expect(content(fresh)).toEqual(truths[index]);
        await follow();
        expect(held()).toEqual(fresh);
      }
      const titles = truths[0]!.map(({ title }) => title).sort();
      expect(titles).toEqual([...writers.flatMap((writer) => [...writer.titles.values()]), ...byPerson].sort());
      return titles.length;
    },
  };
}

test(`${PROCESSES} processes lose nothing: ${KILLS} kills, ${RESTARTS} crashes of the server, ${WRITES} rounds`, {
  timeout: 3_600_000,
}, async () => {
  const providers = await startProviders();
  onTestFinished(() => providers.close());
  const database = await startPostgres();
  onTestFinished(() => database.stop());
  const passing = { startedAt: Date.now(), speed: SPEED };
  const settings = { database: database.url, providers: providers.url, passing };
  const front = engineOn(settings);
  await front.start({ background: false });
  const { id: applicationId } = await front.applications.create({ name: 'Test', redirectUrls: [] });
  const paths: string[] = [];
  for (const provider of PROVIDERS) {
    providers.sandbox[provider.name].addClient({ ...CLIENT, redirectUris: [] });
    const [accountId, calendarId] = await connect(front, applicationId, providers, provider);
    paths.push(`events/${accountId}/${encodeURIComponent(calendarId)}`);
  }
  const { key } = await front.apiKeys.create(applicationId, { name: 'Test', expiresAt: null });
  await front.stop();
  const fleet = await startFleet(settings, PROCESSES, key);
  onTestFinished(() => fleet.close());
  const mailboxes = PROVIDERS.map((provider, index) => workOn(fleet, paths[index]!, provider, providers));

  let rounds = 0;
  const waiting: { readonly round: number; readonly go: () => void }[] = [];
  const reached = (round: number) =>
    new Promise<void>((go) => {
      if (rounds >= round) go();
      else waiting.push({ round, go });
    });
  /** Strikes while the writers work: each when its part of the rounds has been played. */
  const strike = async (count: number, offset: number, blow: () => Promise<void>) => {
    for (let done = 0; done < count; done += 1) {
      await reached(((done + offset) * WRITES) / count);
      await blow();
    }
  };
  const work = async () => {
    while (rounds < WRITES) {
      await Promise.all(mailboxes.map(({ round }) => round()));
      rounds += 1;
      for (const { round, go } of waiting) if (rounds >= round) go();
    }
  };
  await Promise.all([
    work(),
    strike(KILLS, 0.3, () => fleet.kill()),
    strike(RESTARTS, 0.6, () => database.restart('immediate')),
  ]);
  const counts = await Promise.all(mailboxes.map(({ check }) => check()));
  console.log(
    `${rounds} rounds, ${KILLS} kills, ${RESTARTS} crashes of the server: ${counts.join(' and ')} events, 0 lost`,
  );
});
