import { postgres } from '@kalends/postgres';
import pg from 'pg';
import { expect, test } from 'vitest';
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

test('a lease whose claim was committed before its connection broke is held until it runs out', async () => {
  const { proxy, storage, close } = await behindCuttingProxy();
  for (const cut of ['before commit', 'after commit'] as const) {
    const isCut = proxy.cutNext(cut);
    const claimed = await storage.leases.claim(cut, 60_000);
    await isCut;
    expect(claimed === undefined).toBe(cut === 'after commit');
    expect(await storage.leases.claim(cut, 60_000)).toBeUndefined();
  }
  await close();
});
