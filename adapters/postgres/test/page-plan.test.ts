import { createHash } from 'node:crypto';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { postgres } from '../src/index.ts';
import { generate } from './scale/generate.ts';
import { createDatabasePool } from './server/database-pool.ts';

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Plan[];
}

const LIMIT = 251;
const databases = createDatabasePool();
afterAll(() => databases.drop());

/** Rows of a table that a plan has read. */
function rowsRead(plan: Plan, table: string): number {
  const own = plan['Relation Name'] === table ? plan['Actual Rows'] * plan['Actual Loops'] : 0;
  return (plan.Plans ?? []).reduce((sum, below) => sum + rowsRead(below, table), own);
}

test('a page of a calendar with many events reads what is on it, not the calendar', { timeout: 60_000 }, async () => {
  const { url } = await databases.take();
  const sent: pg.QueryConfig[] = [];
  class RecordingClient extends pg.Client {
    override query(...parameters: unknown[]): never {
      sent.push(parameters[0] as pg.QueryConfig);
      return (super.query as (...all: unknown[]) => never)(...parameters);
    }
  }
  const pool = new pg.Pool({ connectionString: url, Client: RecordingClient });
  const storage = postgres({ pool });
  await storage.open();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await generate(client, { applications: 1, accounts: 1, eventsPerAccount: 5_000, accountsPerSubscription: 1 });
  const idOf = (prefix: string, number: number) => `${prefix}_${createHash('md5').update(`${number}`).digest('hex')}`;
  const key = { applicationId: idOf('app', 0), accountId: idOf('acc', 1), calendarId: '1@example.com' };
  sent.length = 0;
  const items = await storage.mirror.readListed(key, { asOf: 20, limit: LIMIT, after: 'event_8' });
  expect(new Set(items.map(({ groupId }) => groupId)).size).toBe(LIMIT);
  const [{ text, values } = { text: '' }] = sent;
  const { rows } = await client.query(`explain (analyze, format json) ${text}`, values);
  const plan: Plan = rows[0]['QUERY PLAN'][0].Plan;
  expect(rowsRead(plan, 'item_version')).toBeLessThan(LIMIT * 3);
  expect(rowsRead(plan, 'item_body')).toBe(items.length);
  await client.end();
  await storage.close();
  await pool.end();
});
