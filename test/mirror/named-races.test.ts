import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock } from '@kalends/conformance';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine, type Engine } from 'kalends';
import { describe, expect, onTestFinished, test } from 'vitest';
import { allDay, fakeEvent } from './fake-events.ts';
import { fakeCalendar } from './fake-provider.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from './sync-world.ts';

const list = (world: SyncWorld, query = {}) => world.events.list(CALLER, ACCOUNT, CALENDAR, query);
const pull = ({ mirror, account }: SyncWorld) => mirror.pull(account, CALENDAR);

async function openWorld(): Promise<SyncWorld> {
  const world = await syncWorld();
  onTestFinished(() => world.close());
  return world;
}

test('a change key raised three times for one write creates one version', async () => {
  const world = await openWorld();
  world.fake.put(CALENDAR, fakeEvent('a'));
  await list(world);
  await world.events.update(CALLER, ACCOUNT, CALENDAR, 'a', { title: 'ours' });
  const before = (await world.storage.mirror.find(KEY))?.revision;
  for (let bump = 0; bump < 3; bump++) {
    world.fake.put(CALENDAR, { ...world.fake.events(CALENDAR).get('a')! });
    await pull(world);
  }
  expect((await world.storage.mirror.find(KEY))?.revision).toBe(before);
  const { etag } = await world.events.get(CALLER, ACCOUNT, CALENDAR, 'a');
  await world.events.update(CALLER, ACCOUNT, CALENDAR, 'a', { title: 'again' }, { ifMatch: etag });
});

test('a zone change changes every all-day event, in a revision of its own', async () => {
  const world = await openWorld();
  world.fake.put(CALENDAR, fakeEvent('day', allDay('2026-03-02', '2026-03-03')));
  const first = await list(world);
  world.fake.putCalendar(fakeCalendar(CALENDAR, { isPrimary: true, timeZone: 'Asia/Tokyo' }));
  await world.mirror.pull(world.account, null);
  await pull(world);
  const second = await list(world, { syncToken: first.nextSyncToken });
  expect(second.data).toMatchObject([{ id: 'day', start: { timeZone: 'Asia/Tokyo' } }]);
  expect((await list(world, { syncToken: second.nextSyncToken })).data).toEqual([]);
});

test('a token from before a restored backup is expired, although its revision exists again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const live = join(folder, 'live.db');
  const restored = join(folder, 'restored.db');
  const run = async (
    path: string,
    seed: number,
    titles: readonly string[],
    work: (world: SyncWorld) => Promise<unknown>,
  ) => {
    const world = await syncWorld({}, seed, path);
    for (const title of titles) world.fake.put(CALENDAR, fakeEvent(title));
    await list(world);
    await pull(world);
    await work(world);
    await world.close();
  };
  await run(live, 1, ['a'], async () => undefined);
  for (const file of await readdir(folder)) {
    if (!file.endsWith('-shm')) await copyFile(join(folder, file), join(folder, file.replace('live', 'restored')));
  }
  let token: string | undefined;
  let revision: number | undefined;
  await run(live, 2, ['a', 'b'], async (world) => {
    token = (await list(world)).nextSyncToken;
    revision = (await world.storage.mirror.find(KEY))?.revision;
  });
  await run(restored, 3, ['a', 'c'], async (world) => {
    expect((await world.storage.mirror.find(KEY))?.revision).toBe(revision);
    await expect(list(world, { syncToken: token })).rejects.toMatchObject({ code: 'SyncTokenExpired' });
  });
});

describe('an event six years ahead at Graph', () => {
  const URL_OF_SANDBOX = 'http://sandbox.test';
  const EMAIL = 'person@mail.example';
  const CLIENT = { clientId: 'client', clientSecret: 'client-secret' };
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

  test('is created and changed at the next pull, and deleted at the next reconciliation', async () => {
    const network = (input: string | URL | Request, init?: RequestInit) => sandbox.fetch(new Request(input, init));
    const sandbox = createSandbox({ fetch: network, seed: 7 });
    sandbox.microsoft.addMailbox({ email: EMAIL, name: 'Person', timeZone: 'Europe/Berlin' });
    sandbox.microsoft.addClient({ ...CLIENT, redirectUris: ['https://app.test'] });
    const clock = manualClock(Date.now());
    const connect = async (): Promise<{
      engine: Engine;
      reach: readonly [{ applicationId: string }, string, string];
    }> => {
      const engine = createEngine({
        storage: sqlite({ path: ':memory:', clock }),
        providers: {
          GRAPH: microsoft({ ...microsoftEndpoints(`${URL_OF_SANDBOX}/microsoft`), fetch: network, clock }),
        },
        secret: Buffer.alloc(32, 7).toString('base64'),
        clock,
        sync: { readWaitMs: 60_000, reconcileEveryMs: 600_000, pollWithoutPushMs: 60_000 },
      });
      await engine.start();
      onTestFinished(() => engine.stop());
      const { id: applicationId } = await engine.applications.create({
        name: 'Test',
        redirectUrls: ['https://app.test'],
      });
      await engine.oauthClients.set(applicationId, 'GRAPH', CLIENT);
      const refreshToken = sandbox.microsoft.issueRefreshToken({ email: EMAIL, clientId: CLIENT.clientId });
      const body = { email: EMAIL, providerType: 'GRAPH', refreshToken };
      const { account } = await engine.accounts.upsert({ applicationId }, body);
      const { data } = await engine.calendars.list({ applicationId }, account.id, {});
      const calendar = data.find((entry) => 'isPrimary' in entry && entry.isPrimary)!;
      return { engine, reach: [{ applicationId }, account.id, calendar.id] };
    };
    const reader = await connect();
    const writer = await connect();
    const titles = async () => {
      const { data } = await reader.engine.events.list(...reader.reach, {});
      return data.map(({ title }) => title);
    };
    /** The mirror is too old for reads, and reconciliation is not due yet. */
    const pass = async (ms: number) => {
      for (let left = ms; left > 0; left -= 1_000) {
        await clock.advance(1_000);
        for (let turns = 0; turns < 8; turns++) await turn();
      }
    };
    expect(await titles()).toEqual([]);
    const start = { dateTime: '2032-11-21T09:00:00', timeZone: 'UTC' };
    const { id } = await writer.engine.events.create(...writer.reach, { title: 'far', start });
    await pass(31_000);
    expect(await titles()).toEqual(['far']);
    await writer.engine.events.update(...writer.reach, id, { title: 'farther' });
    await pass(31_000);
    expect(await titles()).toEqual(['farther']);
    await writer.engine.events.delete(...writer.reach, id);
    await pass(900_000);
    expect(await titles()).toEqual([]);
  });
});
