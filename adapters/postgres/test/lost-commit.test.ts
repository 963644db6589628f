import { postgres } from '@kalends/postgres';
import pg from 'pg';
import { expect, test } from 'vitest';
import { accountRow, applicationRow, credentialRow, itemWrite } from '../../conformance/src/storage/world.ts';
import { startCuttingProxy } from './server/cutting-proxy.ts';
import { startPostgres } from './server/start-postgres.ts';
import { createTestDatabase } from './server/test-database.ts';

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Reads the number that the next writing transaction gets. */
const NEXT = 'select pg_snapshot_xmax(pg_current_snapshot())::text::int as next';

async function onServer<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Commits writing transactions until all numbers up to this one are used; resolves with whether it was used here. */
function useUp(url: string, number: number): Promise<boolean> {
  return onServer(url, async (client) => {
    await client.query('create table if not exists note (id int)');
    for (let isUsedHere = false; ; ) {
      const { rows } = await client.query(
        'insert into note values (1) returning pg_current_xact_id()::text::int as used',
      );
      if (rows[0].used > number) return isUsedHere;
      isUsedHere ||= rows[0].used === number;
    }
  });
}

test('a commit that a crash has lost runs again, although another transaction has been given its number', async () => {
  // A crash loses everything that was not flushed, the number of the transaction included.
  const server = await startPostgres({ wal_writer_delay: '10s' });
  const proxy = await startCuttingProxy(server.url);
  const pool = new pg.Pool({ connectionString: proxy.url });
  const storage = postgres({ pool });
  await storage.open();
  let isGivenAgain = false;
  for (let round = 1; !isGivenAgain; round += 1) {
    // A flush in the meantime (the server flushes now and then) spoils the round: the number is then not free again.
    const { next } = await onServer(server.url, async (client) => (await client.query(NEXT)).rows[0]);
    const { opened: back, open: comeBack } = gate();
    const isCut = proxy.cutNext('before commit', { back });
    const marked = storage.usedStates.mark(`state ${round}`, 60_000);
    await isCut;
    await server.restart('immediate');
    isGivenAgain = await useUp(server.url, next);
    comeBack();
    expect(await marked).toBe(true);
    expect(await storage.usedStates.mark(`state ${round}`, 60_000)).toBe(false);
  }
  await storage.close();
  await pool.end();
  await proxy.close();
  await server.stop();
});

async function behindCuttingProxy(config: pg.PoolConfig = {}) {
  const database = await createTestDatabase();
  const proxy = await startCuttingProxy(database.url);
  const pool = new pg.Pool({ connectionString: proxy.url, ...config });
  const storage = postgres({ pool });
  await storage.open();
  return {
    url: database.url,
    proxy,
    storage,
    async close() {
      await storage.close();
      await pool.end();
      await proxy.close();
      await database.drop();
    },
  };
}

test('a commit that is still on its way is waited for, and not run again', async () => {
  const { url, proxy, storage, close } = await behindCuttingProxy();
  const { opened: arrival, open: arrive } = gate();
  const isCut = proxy.cutNext('during commit', { arrival });
  const marked = storage.usedStates.mark('late', 60_000);
  await isCut;
  await onServer(url, async (client) => {
    const waiting = `select count(*)::int as asking from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%commit_mark%'`;
    await expect.poll(async () => (await client.query(waiting)).rows, { timeout: 20_000 }).toEqual([{ asking: 1 }]);
  });
  arrive();
  expect(await marked).toBe(true);
  expect(await storage.usedStates.mark('late', 60_000)).toBe(false);
  await close();
});

test('a pool of one connection is enough to ask what became of a commit', async () => {
  const { proxy, storage, close } = await behindCuttingProxy({ max: 1 });
  for (const cut of ['before commit', 'after commit'] as const) {
    const isCut = proxy.cutNext(cut);
    expect(await storage.usedStates.mark(cut, 60_000)).toBe(true);
    await isCut;
    expect(await storage.usedStates.mark(cut, 60_000)).toBe(false);
  }
  await close();
});

test('few marks serve many transactions, and those of processes that have gone are removed', async () => {
  const { url, storage, close } = await behindCuttingProxy();
  const marks = () =>
    onServer(url, async (client) => (await client.query('select transactions::int, at from kalends_commit_mark')).rows);
  for (let states = 1; states <= 20; states += 1) await storage.usedStates.mark(`state ${states}`, 60_000);
  const [mark, ...more] = await marks();
  expect(mark.transactions).toBe(20);
  expect(more).toEqual([]);
  await onServer(url, (client) => client.query(`insert into kalends_commit_mark values ('gone', 7, 0)`));
  await storage.leases.purge({ endedForMs: 86_400_000, limit: 1_000 });
  // Each of the purge's three statements is a transaction of its own.
  expect(await marks()).toEqual([{ transactions: 23, at: expect.anything() }]);
  await close();
});

test('a lease that a pull claimed before its connection broke is held until it runs out', async () => {
  const { proxy, storage, close } = await behindCuttingProxy();
  const claim = async (name: string) => (await storage.pulls.begin(KEY, { name, ttlMs: 60_000 })).epoch;
  for (const cut of ['before commit', 'after commit'] as const) {
    const isCut = proxy.cutNext(cut);
    const claimed = await claim(cut);
    await isCut;
    expect(claimed === undefined).toBe(cut === 'after commit');
    expect(await claim(cut)).toBeUndefined();
  }
  await close();
});

test.each([
  'before commit',
  'after commit',
] as const)('one that was claimed by itself is its claimant’s, cut %s, and one whose release was lost is free', async (cut) => {
  const { proxy, storage, close } = await behindCuttingProxy();
  const isClaimCut = proxy.cutNext(cut);
  expect(await storage.leases.claim('lost', 60_000)).toEqual({ epoch: expect.any(Number) });
  await isClaimCut;
  expect(await storage.leases.claim('lost', 60_000)).toBeUndefined();
  const held = await storage.leases.claim('released', 60_000);
  const isReleaseCut = proxy.cutAnswer('UPDATE');
  await storage.leases.release('released', held?.epoch ?? 0);
  await isReleaseCut;
  expect(await storage.leases.claim('released', 60_000)).toBeDefined();
  await close();
});

const KEY = { applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1' };

/** A collection with one item, behind a network that cuts; with and without a pipelining driver. */
async function mirroredBehindCuttingProxy(pipeline: boolean) {
  const world = await behindCuttingProxy({ pipeline } as pg.PoolConfig);
  const { storage } = world;
  await storage.applications.create(applicationRow());
  await storage.accounts.save(accountRow(), credentialRow());
  await storage.mirror.ensure(KEY, { at: 1, tag: 'first', timeZone: 'UTC' });
  await storage.mirror.commit(KEY, { writes: [itemWrite('a', 1)], basedOn: 0, at: 1, tag: 'one' });
  return world;
}

const CUTS = ['before commit', 'during commit', 'after commit'] as const;

test.each([
  true,
  false,
])('a commit to the mirror whose connection breaks is made once, pipelined: %s', async (pipeline) => {
  const { proxy, storage, close } = await mirroredBehindCuttingProxy(pipeline);
  for (const [index, cut] of CUTS.entries()) {
    const { mirror } = storage;
    const { revision, writeCount: basedOn } = (await mirror.find(KEY))!;
    const isCut = proxy.cutNext(cut);
    const writes = [itemWrite('a', `${cut}`), itemWrite(`new ${index}`, 1)];
    const result = await mirror.commit(KEY, { writes, basedOn, at: 2, tag: cut, readsLeft: true });
    await isCut;
    // Run again, it would be based on too little and deferred, or reach a later revision.
    const changed = ['a', `new ${index}`];
    expect(result).toMatchObject({ revision: revision + 1, changed, deferred: [] });
    expect((await mirror.find(KEY))?.revision).toBe(revision + 1);
    const items = await mirror.readGroups(KEY, changed, revision + 1);
    if (result.left !== undefined) expect(result.left.items).toEqual(items);
    expect(items.map(({ content }) => content)).toEqual([cut, 1]);
  }
  await close();
});

test.each([true, false])('an intent whose begin is cut off is begun once, pipelined: %s', async (pipeline) => {
  const { url, proxy, storage, close } = await mirroredBehindCuttingProxy(pipeline);
  const count = `select (select count(*)::int from kalends_intent) as intents,
    (select count(*)::int from kalends_held_group) as groups`;
  for (const [index, cut] of CUTS.entries()) {
    const row = {
      id: `${index}`.padStart(32, '0'),
      key: KEY,
      kind: 'update' as const,
      groupIds: ['a'],
      holdsNewItems: false,
      data: null,
      idempotency: { key: cut, bodyHash: 'hash' },
      createdAt: 1,
    };
    const isCut = proxy.cutNext(cut);
    const begun = await storage.intents.begin(row, 60_000);
    await isCut;
    expect(begun).toMatchObject({ kind: 'begun', intent: { id: row.id, epoch: 1, state: 'held' } });
    expect(await onServer(url, async (client) => (await client.query(count)).rows)).toEqual([
      { intents: 1, groups: 1 },
    ]);
    const other = { ...row, id: 'f'.repeat(32), idempotency: null };
    expect(await storage.intents.begin(other, 60_000)).toMatchObject({ kind: 'group-held', by: { id: row.id } });
    expect(await storage.intents.end({ applicationId: 'app_1', id: row.id, epoch: 1 })).toBe(true);
  }
  await close();
});
