import { manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { type Storage, StorageUnavailableError } from 'kalends/ports';
import { zoneDataVersion } from 'kalends/runtime';
import { expect, test } from 'vitest';
import { fakeProvider } from './accounts/fake-provider.ts';

/** An engine on a storage that tells when background work is asked for. */
function watchedEngine() {
  const storage = sqlite({ path: ':memory:' });
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let claims = 0;
  const claim: Storage['schedule']['claimDueAccounts'] = async (...given) => {
    claims += 1;
    asked();
    return await storage.schedule.claimDueAccounts(...given);
  };
  const engine = createEngine({
    storage: { ...storage, schedule: { ...storage.schedule, claimDueAccounts: claim } },
    providers: { FAKE: fakeProvider(() => 0).provider },
    secret: Buffer.alloc(32, 1).toString('base64'),
  });
  return { engine, storage, isAsked, claims: () => claims };
}

test('an engine works in the background', async () => {
  const { engine, isAsked } = watchedEngine();
  await engine.start();
  await isAsked;
  await engine.stop();
});

/** An engine whose loop of pulls waits for the database, in a statement that a closed storage fails. */
async function waitingEngine(reach: Storage['health']['reach']) {
  const storage = sqlite({ path: ':memory:' });
  const clock = manualClock();
  const steps: string[] = [];
  let end = { work: () => {}, fail: () => {} };
  let begin = () => {};
  const isWaiting = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const engine = createEngine({
    storage: {
      ...storage,
      schedule: {
        ...storage.schedule,
        claimDueAccounts: () =>
          new Promise((resolve, reject) => {
            const fail = () => reject(new StorageUnavailableError('The storage is closing', undefined));
            end = { work: () => resolve([]), fail };
            begin();
          }),
      },
      health: { ...storage.health, reach },
      async close() {
        steps.push('closed');
        await storage.close();
        end.fail();
      },
    },
    providers: { FAKE: fakeProvider(() => 0).provider },
    secret: Buffer.alloc(32, 1).toString('base64'),
    clock,
  });
  await engine.start();
  await isWaiting;
  const stopped = engine.stop().then(() => steps.push('stopped'));
  return { clock, steps, stopped, endWork: () => end.work() };
}

test('an engine stops soon while its database hangs', async () => {
  const { clock, steps, stopped } = await waitingEngine(() => new Promise(() => undefined));
  await clock.advance(6_999);
  expect(steps).toEqual([]);
  await clock.advance(1);
  await stopped;
  expect(steps).toEqual(['closed', 'stopped']);
});

test('an engine stops soon while its database refuses connections', async () => {
  const { clock, steps, stopped } = await waitingEngine(() => Promise.reject(new Error('ECONNREFUSED')));
  await clock.advance(5_000);
  await stopped;
  expect(steps).toEqual(['closed', 'stopped']);
});

test('an engine that stops waits for work in progress as long as its database answers', async () => {
  const { clock, steps, stopped, endWork } = await waitingEngine(async () => undefined);
  await clock.advance(30_000);
  expect(steps).toEqual([]);
  endWork();
  await stopped;
  expect(steps).toEqual(['closed', 'stopped']);
});

test('an engine that leaves the background to others answers calls, and looks for no work', async () => {
  const { engine, storage, claims } = watchedEngine();
  await engine.start({ background: false });
  const { id } = await engine.applications.create({ name: 'Shop' });
  expect(await engine.applications.find(id)).toMatchObject({ name: 'Shop' });
  expect(await storage.health.inspect()).toEqual({
    isMigrated: true,
    hasLaterMigrations: false,
    zoneData: zoneDataVersion(),
    fault: null,
  });
  await engine.stop();
  expect(claims()).toBe(0);
});

test.each([
  ['wraps stored keys anew while previous secrets are listed', [Buffer.alloc(32, 2).toString('base64')], 1],
  ['leaves stored keys alone when none is', [], 0],
])('an engine %s', async (_name, previousSecrets, passes) => {
  const storage = sqlite({ path: ':memory:' });
  let looks = 0;
  let looked = () => {};
  const isLooked = new Promise<void>((resolve) => {
    looked = resolve;
  });
  const list: Storage['dataKeys']['list'] = async (kind, input) => {
    if (kind === 'client') looks += 1;
    looked();
    return await storage.dataKeys.list(kind, input);
  };
  const purge: Storage['intents']['purge'] = async (limit) => {
    if (passes === 0) looked();
    return await storage.intents.purge(limit);
  };
  const engine = createEngine({
    storage: { ...storage, dataKeys: { ...storage.dataKeys, list }, intents: { ...storage.intents, purge } },
    providers: { FAKE: fakeProvider(() => 0).provider },
    secret: Buffer.alloc(32, 1).toString('base64'),
    previousSecrets,
  });
  await engine.start();
  await isLooked;
  await engine.stop();
  expect(looks).toBe(passes);
});
