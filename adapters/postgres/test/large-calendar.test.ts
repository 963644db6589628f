import { createHash } from 'node:crypto';
import type { ItemWrite, Storage } from 'kalends/ports';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openWithAccount } from '../../sql/test/mirror/mirror-account.ts';
import { postgres } from '../src/index.ts';
import { generate } from './scale/generate.ts';
import { databasePool } from './server/database-pool.ts';

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Plan[];
}

const LIMIT = 251;
const ITEMS = 2_000;
/** Writes of one commit. */
const BATCH = 500;

/** A storage whose reads can be explained. */
async function openExplained() {
  const { url } = await databasePool.take();
  const sent: pg.QueryConfig[] = [];
  class RecordingClient extends pg.Client {
    override query(...parameters: unknown[]): never {
      sent.push(parameters[0] as pg.QueryConfig);
      return (super.query as (...all: unknown[]) => never)(...parameters);
    }
  }
  const pool = new pg.Pool({ connectionString: url, Client: RecordingClient });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const storage = postgres({ pool });
  onTestFinished(async () => {
    await client.end();
    await storage.close();
    await pool.end();
  });
  return {
    storage,
    client,
    /** Rows that the statements of the work read, table by table. */
    async rowsReadBy(work: () => Promise<unknown>) {
      sent.length = 0;
      await work();
      const plans: Plan[] = [];
      for (const { text, values } of [...sent]) {
        const { rows } = await client.query(`explain (analyze, format json) ${text}`, values);
        plans.push(rows[0]['QUERY PLAN'][0].Plan);
      }
      return (table: string) => plans.reduce((sum, plan) => sum + rowsRead(plan, table), 0);
    },
  };
}

function rowsRead(plan: Plan, table: string): number {
  const own = plan['Relation Name'] === table ? plan['Actual Rows'] * plan['Actual Loops'] : 0;
  return (plan.Plans ?? []).reduce((sum, below) => sum + rowsRead(below, table), own);
}

test('a page reads what is on it, not the calendar', { timeout: 60_000 }, async () => {
  const { storage, client, rowsReadBy } = await openExplained();
  await storage.open();
  await generate(client, { applications: 1, accounts: 1, eventsPerAccount: 5_000, accountsPerSubscription: 1 });
  const idOf = (prefix: string, number: number) => `${prefix}_${createHash('md5').update(`${number}`).digest('hex')}`;
  const key = { applicationId: idOf('app', 0), accountId: idOf('acc', 1), calendarId: '1@example.com' };
  const read = () => storage.mirror.readListed(key, { asOf: 20, limit: LIMIT, after: 'event_8' });
  const items = await read();
  expect(new Set(items.map(({ groupId }) => groupId)).size).toBe(LIMIT);
  const rowsOf = await rowsReadBy(read);
  expect(rowsOf('kalends_item_version')).toBeGreaterThanOrEqual(LIMIT);
  expect(rowsOf('kalends_item_version')).toBeLessThan(LIMIT * 3);
  // One more shows where the last group ends.
  expect(rowsOf('kalends_item_body')).toBe(items.length + 1);
});

test('a sweep looks each item up once, also before the tables are analyzed', { timeout: 60_000 }, async () => {
  const { storage, client, rowsReadBy } = await openExplained();
  await openWithAccount(storage);
  for (const table of ['kalends_seen_item', 'kalends_item_version', 'kalends_item_body']) {
    await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
  }
  const key = { applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1' };
  const { generation } = await fill(storage, key);
  const list = () => storage.mirror.listUnseen(key, { generation, limit: LIMIT });
  expect((await list()).map(({ itemId }) => itemId)).toEqual(['forgotten']);
  const rowsOf = await rowsReadBy(list);
  expect(rowsOf('kalends_seen_item')).toBeLessThanOrEqual(ITEMS + 1);
  expect(rowsOf('kalends_item_body')).toBe(1);
});

/** Fills a calendar in a sweep that has seen all its items but one. */
async function fill({ mirror }: Storage, key: { applicationId: string; accountId: string; calendarId: string }) {
  await mirror.ensure(key, { at: 1, tag: 't', timeZone: 'UTC' });
  const { generation } = await mirror.startSweep(key);
  const all = ['forgotten', ...Array.from({ length: ITEMS }, (_, index) => `item_${index}`)];
  const write = (itemId: string): ItemWrite => ({
    ...{ itemId, groupId: itemId, content: { itemId }, etag: itemId, providerTag: null },
    ...{ mappingVersion: 1, rangeStart: 0, rangeEnd: 1 },
  });
  for (let from = 0; from < all.length; from += BATCH) {
    const itemIds = all.slice(from, from + BATCH);
    const seen = { generation, itemIds: itemIds.filter((id) => id !== 'forgotten') };
    await mirror.commit(key, { writes: itemIds.map(write), seen, basedOn: 0, at: 1, tag: 't' });
  }
  return { generation };
}
