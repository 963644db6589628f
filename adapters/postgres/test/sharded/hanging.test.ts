import { randomUUID } from 'node:crypto';
import { StorageUnavailableError } from 'kalends/ports';
import { expect, onTestFinished, test } from 'vitest';
import { databasePool } from '../server/database-pool.ts';
import { startHangingProxy } from '../server/hanging-proxy.ts';
import { databasesOf } from './sharded-databases.ts';
import { type Mailbox, startShardedWorld } from './sharded-world.ts';

/** Longer than the time limit of a shard, much shorter than that of a statement. */
const SOON_MS = 9_000;

/** Home, one and two, of which two is behind a proxy that can hang; and a mailbox in each. */
async function startWorld() {
  const databases = await Promise.all([databasePool.take(), databasePool.take(), databasePool.take()]);
  const proxy = await startHangingProxy(databases[2]?.url ?? '');
  const urls = databases.map(({ url }, index) => (index === 2 ? proxy.url : url));
  const world = await startShardedWorld({ shards: databasesOf(urls) });
  onTestFinished(async () => {
    proxy.resume();
    await world.close();
    await proxy.close();
    for (const database of databases) await databasePool.giveBack(database);
  });
  const mailboxes: Mailbox[] = [];
  for (const name of ['ada', 'ben', 'cy']) mailboxes.push(await world.connect(name));
  const [gone] = await world.storage.listPlaces({ shard: 'two', limit: 1 });
  const others = mailboxes.filter(({ accountId }) => accountId !== gone?.accountId);
  const own = mailboxes.find(({ accountId }) => accountId === gone?.accountId);
  if (own === undefined) throw new Error('No account is in the shard that hangs');
  return { ...world, proxy, others, own };
}

async function timeOf<Result>(work: () => Promise<Result>): Promise<{ readonly ms: number; readonly result: Result }> {
  const begunAt = performance.now();
  const result = await work();
  return { ms: performance.now() - begunAt, result };
}

test('a database that hangs keeps no work of other accounts waiting', { timeout: 240_000 }, async () => {
  const { storage, proxy, others, own, receiver, addEvent } = await startWorld();
  expect(await storage.health.inspect()).toMatchObject({ isMigrated: true, fault: null });
  proxy.hang();
  const looked = await timeOf(() => storage.health.inspect());
  expect(looked.ms).toBeLessThan(3_000);
  expect(looked.result).toMatchObject({
    isMigrated: true,
    fault: null,
    troubles: [{ database: 'two', problem: 'does not answer' }],
  });
  for (const mailbox of [...others, ...others]) {
    const told = receiver.next(mailbox.path);
    const { ms } = await timeOf(async () => {
      await addEvent(mailbox, 'Theirs');
      await told;
    });
    expect(ms).toBeLessThan(SOON_MS);
  }
  const told = receiver.next(own.path);
  await addEvent(own, 'While it hung');
  proxy.resume();
  await told;
  await expect.poll(async () => (await storage.health.inspect()).troubles ?? [], { timeout: 60_000 }).toEqual([]);
});

test('what needs every database is refused in time with the name of the one that hangs, and no part of it is given', {
  timeout: 240_000,
}, async () => {
  const { storage, proxy, caller } = await startWorld();
  const works = [
    () => storage.targets.list(caller.applicationId, { limit: 9 }),
    () => storage.dataKeys.list('target', { after: '', limit: 9 }),
    () => storage.erasure.find(['ada']),
    () => storage.erasure.findOwnerless(),
  ];
  for (const work of works) await work();
  proxy.hang();
  for (const work of works) {
    const { ms, result } = await timeOf(() => work().catch((error: unknown) => error));
    expect(result).toBeInstanceOf(StorageUnavailableError);
    expect(result).toMatchObject({
      database: 'two',
      message: expect.stringMatching(/^This needs every database\. The database of the shard "two" does not answer/),
    });
    expect(ms).toBeLessThan(SOON_MS);
  }
});

test('leases of other accounts are renewed in time, and a new account finds another place', {
  timeout: 240_000,
}, async () => {
  const { storage, proxy, others, own, connect } = await startWorld();
  const names = [own, ...others].map(({ accountId }) => `import:${accountId}:imp_${randomUUID()}`);
  const held = await Promise.all(
    names.map(async (name) => ({ name, epoch: (await storage.leases.claim(name, 60_000))?.epoch ?? 0 })),
  );
  proxy.hang();
  expect((await timeOf(() => storage.leases.renew(held, 60_000))).ms).toBeLessThan(SOON_MS);
  for (const name of ['dee', 'eve']) {
    const { ms, result } = await timeOf(() => connect(name));
    expect(ms).toBeLessThan(SOON_MS);
    const [place] = await storage.listPlaces({ shard: 'two', limit: 9 });
    expect(place?.accountId).not.toBe(result.accountId);
  }
});
