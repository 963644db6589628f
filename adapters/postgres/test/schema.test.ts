import { type PostgresOptions, postgres } from '@kalends/postgres';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { schema } from '../../sql/src/migrations/0001-schema.ts';
import { checkDataOf0001, DATA_OF_0001 } from '../../sql/test/migrations/data-of-0001.ts';
import { DDL } from '../src/postgres-dialect.ts';
import { createTestDatabase } from './server/test-database.ts';

async function newDatabase(): Promise<{ readonly url: string; query: (text: string) => Promise<readonly unknown[]> }> {
  const { url, drop } = await createTestDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await drop();
  });
  return { url, query: async (text) => (await client.query(text)).rows };
}

async function opened(options: PostgresOptions) {
  const storage = postgres(options);
  await storage.open();
  onTestFinished(() => storage.close());
  return storage;
}

async function migrated(options: PostgresOptions): Promise<void> {
  const storage = postgres({ ...options, listen: false });
  try {
    await storage.open();
  } finally {
    await storage.close();
  }
}

const NAMES = `select n.nspname || '.' || relname as name from pg_class c join pg_namespace n on n.oid = relnamespace
  where nspname not like 'pg_%' and nspname <> 'information_schema' order by 1`;

test('every table, index and sequence has the prefix, in the schema of the options', async () => {
  const { url, query } = await newDatabase();
  await migrated({ connectionString: url });
  await migrated({ connectionString: url, schema: 'Host', prefix: 'hostcal_' });
  const names = (await query(NAMES)).map((row) => (row as { name: string }).name);
  // Prefixes of one length: PostgreSQL shortens long names of keys.
  const inPublic = names.filter((name) => name.startsWith('public.kalends_')).map((name) => name.slice(15));
  const inHost = names.filter((name) => name.startsWith('Host.hostcal_')).map((name) => name.slice(13));
  expect(inPublic.length).toBeGreaterThan(50);
  expect(inHost.toSorted()).toEqual(inPublic.toSorted());
  expect(inPublic.length + inHost.length).toBe(names.length);
});

test('processes that open a new schema at once all find it', async () => {
  const { url } = await newDatabase();
  await Promise.all(Array.from({ length: 6 }, () => migrated({ connectionString: url, schema: 'fresh' })));
});

test('a schema may have the default prefix within its name', async () => {
  const { url } = await newDatabase();
  await migrated({ connectionString: url, schema: 'my_kalends_app' });
});

const NARROW = `narrow_${process.pid}`;

/** Creates a role without rights; resolves with the database's address for it. */
async function narrowUrl(url: string, query: (text: string) => Promise<unknown>): Promise<string> {
  await query(`create role ${NARROW} login`);
  onTestFinished(async () => void (await query(`drop owned by ${NARROW}; drop role ${NARROW}`)));
  const address = new URL(url);
  address.username = NARROW;
  return address.href;
}

test('a schema that exists needs no right to create one', async () => {
  const { url, query } = await newDatabase();
  const connectionString = await narrowUrl(url, query);
  await query(`create schema ours authorization ${NARROW}`);
  await migrated({ connectionString, schema: 'ours' });
});

test('a role that may not read the tables hears of its rights, not of another program', async () => {
  const { url, query } = await newDatabase();
  await migrated({ connectionString: url });
  const connectionString = await narrowUrl(url, query);
  await expect(migrated({ connectionString })).rejects.toThrow('permission denied for table kalends_migration');
});

const account = (id: string) => ({
  ...{ id, applicationId: 'app', providerType: 'PROVIDER_A', providerConfigId: 'prv', providerAccountId: null },
  ...{ email: `${id}@example.com`, externalId: null, authorizedScopes: [], status: 'ACTIVE' as const },
  ...{ createdAt: 1, updatedAt: 1 },
});
const credential = (id: string) => ({
  ...{ id: `crd_${id}`, applicationId: 'app', accountId: id, wrappedKey: 'k' },
  ...{ kind: 'oauth' as const, sealedAccessToken: 'a' },
  ...{ sealedRefreshToken: 'r', expiresAt: 1, status: 'ACTIVE' as const, version: 1, createdAt: 1, updatedAt: 1 },
});

test('two sets of tables in one database share neither rows nor wake-ups, also over one pool', async () => {
  const { url } = await newDatabase();
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  const [one, two] = [
    await opened({ pool, listen: url, schema: 'one' }),
    await opened({ pool, listen: url, schema: 'two' }),
  ];
  const third = await opened({ pool, listen: url, schema: 'one', prefix: 'cal_' });
  const heard: string[] = [];
  for (const [name, storage] of Object.entries({ one, two, third })) {
    storage.changes?.subscribe((topic) => heard.push(`${name} ${topic}`));
  }
  // A session that begins to listen reports both topics.
  await vi.waitFor(() => expect(heard.length).toBe(6));
  heard.length = 0;
  const key = { applicationId: 'app', accountId: 'acc', calendarId: 'c' };
  for (const storage of [one, two, third]) {
    await storage.applications.create({
      id: 'app',
      name: 'App',
      redirectUrls: [],
      createdAt: 1,
      updatedAt: 1,
      deletedAt: null,
    });
    expect(await storage.accounts.save(account('acc'), credential('acc'))).toBe(true);
    await storage.mirror.ensure(key, { at: 1, tag: 't', timeZone: 'UTC' });
    // The statement whose plan a session keeps.
    expect((await storage.reads.start('app', 'acc', ['c']))?.calendars.length).toBe(1);
  }
  const other = await opened({ pool, listen: false, schema: 'two' });
  await other.schedule.hint(key);
  await vi.waitFor(() => expect(heard).toContain('two schedule'));
  await (await opened({ pool, listen: false, schema: 'one', prefix: 'cal_' })).schedule.hint(key);
  await vi.waitFor(() => expect(heard).toContain('third schedule'));
  expect(heard).toEqual(['two schedule', 'third schedule']);
  expect((await one.schedule.get(key)).hintSeq).toBe(0);
});

test('processes wake each other whether they name the schema or take it by default', async () => {
  const { url } = await newDatabase();
  const named = await opened({ connectionString: url, schema: 'public' });
  const byDefault = await opened({ connectionString: url });
  const heard: string[] = [];
  for (const [name, storage] of Object.entries({ named, byDefault })) {
    storage.changes?.subscribe((topic) => heard.push(`${name} ${topic}`));
  }
  // A session that begins to listen reports both topics.
  await vi.waitFor(() => expect(heard.length).toBe(4));
  await named.applications.create({
    id: 'app',
    name: 'App',
    redirectUrls: [],
    createdAt: 1,
    updatedAt: 1,
    deletedAt: null,
  });
  expect(await named.accounts.save(account('acc'), credential('acc'))).toBe(true);
  heard.length = 0;
  const key = { applicationId: 'app', accountId: 'acc', calendarId: 'c' };
  await named.schedule.hint(key);
  await vi.waitFor(() => expect(heard).toEqual(['byDefault schedule']));
  await byDefault.schedule.hint(key);
  await vi.waitFor(() => expect(heard).toEqual(['byDefault schedule', 'named schedule']));
});

test('a table of another program is refused by name and schema', async () => {
  const { url, query } = await newDatabase();
  await query('create table kalends_account (id int)');
  await expect(migrated({ connectionString: url })).rejects.toThrow(
    'The schema "public" of the database has a table, index or type "kalends_account" that kalends did not create: choose other names by the option "prefix" or "schema" of the storage',
  );
  await migrated({ connectionString: url, schema: 'kalends_account' });
  await migrated({ connectionString: url, prefix: 'cal_' });
});

test.each([
  ['kalends_message', `create type kalends_message as enum ('sent')`],
  ['kalends_message_line', 'create table notes (id int); create index kalends_message_line on notes (id)'],
])('a type or an index of another program, %s, is refused by name at once', async (name, text) => {
  const { url, query } = await newDatabase();
  await query(text);
  await expect(migrated({ connectionString: url })).rejects.toThrow(
    `has a table, index or type "${name}" that kalends`,
  );
});

test('a schema that comes to stand before the tables in the search path is refused', async () => {
  const { url, query } = await newDatabase();
  await migrated({ connectionString: url });
  const address = new URL(url);
  address.searchParams.set('options', '-c search_path=later,public');
  await migrated({ connectionString: address.href });
  await query('create schema later');
  await expect(migrated({ connectionString: address.href })).rejects.toThrow(
    'The connection creates tables in the schema "later", but has used those of kalends in the schema "public"',
  );
  await migrated({ connectionString: address.href, schema: 'public' });
  await migrated({ connectionString: address.href, schema: 'later' });
});

test('a database from before the first release is refused with the command that makes a new one', async () => {
  const { url, query } = await newDatabase();
  await query(`create table kalends_migration (name text primary key); create table account (id text);
    insert into kalends_migration values ('0001-initial'), ('0013-ended-calendars')`);
  await expect(migrated({ connectionString: url })).rejects.toThrow(/before the first release.*"kalends migrate"/);
});

test('the SQL of a migration brings a schema up to date by hand', async () => {
  const { url, query } = await newDatabase();
  const storage = postgres({ connectionString: url, listen: false, schema: 'by_hand' });
  onTestFinished(() => storage.close());
  const statements = await storage.health.migrationSql();
  expect(statements[0]).toBe('create schema "by_hand"');
  await query(`begin; ${statements.join(';\n')}; commit`);
  expect(await storage.health.migrationSql()).toEqual([]);
  await storage.open();
  expect((await storage.health.inspect()).isMigrated).toBe(true);
});

test('data of migration 0001 is carried along', async () => {
  const { url, query } = await newDatabase();
  await query('create table kalends_migration (name text primary key)');
  for (const text of schema(DDL)) await query(text);
  await query(`insert into kalends_migration values ('0001-schema')`);
  for (const text of DATA_OF_0001) await query(text);
  const storage = await opened({ connectionString: url, listen: false });
  await checkDataOf0001(storage);
});
