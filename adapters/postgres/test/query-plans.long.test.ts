import { storageConformance } from '@kalends/conformance';
import { createSqlStorage, type SqlDialect, type Tables } from '@kalends/sql';
import { systemClock, systemRandom } from 'kalends/runtime';
import { type Driver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { sizeOf } from '../../../test/size-of.ts';
import { createConnections } from '../src/connections.ts';
import { isFrequent } from '../src/frequent-read.ts';
import { createKeptPlans } from '../src/kept-plans.ts';
import { postgresDialect } from '../src/postgres-dialect.ts';
import { ReadingDriver, WritingDriver } from '../src/postgres-driver.ts';
import { addSmallCalendars, generate, largeScale } from './scale/generate.ts';
import { databasePool } from './server/database-pool.ts';

/** Everything that grows with the number of accounts. */
const LARGE =
  /^kalends_(account|credential|collection|revision_log|item_version|item_body|provider_token|schedule|lease|channel|target|delivery|message|attempt)$/;

/** Share of the large database to look at, which takes minutes to build; 0 is a small one. */
const SHARE = sizeOf('share', { short: 0, long: 0 });
const SCALE =
  SHARE > 0
    ? largeScale(SHARE)
    : { applications: 50, accounts: 20_000, eventsPerAccount: 6, accountsPerSubscription: 2 };

/** Indexes of versions, and which part of a collection a condition has to name. */
const WITHIN_COLLECTION: readonly (readonly [index: string, part: RegExp])[] = [
  ['kalends_item_version_pkey', /group_id/],
  ['kalends_item_version_touched', /from_revision/],
  ['kalends_item_version_member', /member/],
  ['kalends_item_version_range', /range_start|CASE/],
];

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

const silent = () => undefined;
/** Each statement with the parameters of its last call. */
const texts = new Map<string, readonly unknown[]>();
/** Those whose plan is kept, for whatever parameters. */
const frequent = new Set<string>();
/** Housekeeping, every ten minutes or at a start: looks at each collection or channel, or for what is old enough. */
const ROUNDS = [
  /from kalends_revision_log l join kalends_collection c/,
  /update "kalends_channel" set "renew_at" = \$1 where "provider_type"/,
  /^delete from "kalends_(?:message|attempt)" where (?:"seq"|\("target_id", "at", "id"\)) in/,
  // The removal of a collection, part by part.
  /^delete from kalends_item_version where account_id = \$1 and collection_id = \$2 and \(group_id, member/,
  // Messages about accounts that are old enough.
  /^select m\.seq, m\.id, m\.target_id from kalends_message/,
];
/** The search of everything for what a deleted account left, a part at a time: it reads each table in the order of its key. */
const SEARCH = /^select (?:\w+, )+case when v0 .* limit 256\) as part order by [\w, ]+$/s;

/** The statements of the conformance suite, for the test at the end. */
storageConformance({
  test,
  createStorage: async (clock) => {
    const taken = await databasePool.take();
    const logger = { debug: silent, info: silent, warn: silent, error: silent };
    const pool = new pg.Pool({ connectionString: taken.url });
    const connections = createConnections({
      pool,
      endPool: () => pool.end(),
      outageTimeoutMs: 0,
      statementTimeoutMs: 30_000,
      clock: systemClock,
      random: systemRandom,
      logger,
    });
    let isOpen = false;
    const connect = (driver: Driver) =>
      new Kysely<Tables>({
        dialect: {
          createAdapter: () => new PostgresAdapter(),
          createDriver: () => driver,
          createIntrospector: (database) => new PostgresIntrospector(database),
          createQueryCompiler: () => new PostgresQueryCompiler(),
        },
        log: ({ query }) => {
          if (isOpen) texts.set(query.sql, query.parameters);
          if (isFrequent(query)) frequent.add(query.sql);
        },
      });
    const plans = createKeptPlans(logger);
    const dialect = postgresDialect(connections, clock, () => undefined);
    const batch: SqlDialect['batch'] = (database, write) =>
      dialect.batch(database, () => {
        const statements = write();
        for (const { text, parameters } of isOpen ? statements : []) {
          texts.set(text, parameters);
          frequent.add(text);
        }
        return statements;
      });
    const finish: SqlDialect['finish'] = (transaction, statements) => {
      for (const { text, parameters } of isOpen ? statements : []) texts.set(text, parameters);
      return dialect.finish(transaction, statements);
    };
    const storage = createSqlStorage({
      database: connect(new WritingDriver(connections, systemRandom, plans)),
      reader: connect(new ReadingDriver(connections, plans)),
      dialect: { ...dialect, batch, finish },
    });
    return {
      ...storage,
      open: async () => {
        await storage.open();
        isOpen = true;
      },
      close: async () => {
        await storage.close();
        await databasePool.giveBack(taken);
      },
    };
  },
});

test('no statement of the suite walks what others have, or a whole collection for a few items of it', {
  timeout: 240_000 + SHARE * 3_600_000,
}, async () => {
  const { url } = await databasePool.take();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await generate(client, SCALE);
  const { walks, explained } = await walksOf(client);
  expect(explained).toBeGreaterThan(50);
  expect(walks).toEqual([]);
  // As it is until the server has looked at a table for the first time.
  await client.query(`delete from pg_statistic where starelid = 'kalends_item_version'::regclass;
    update pg_class set reltuples = -1 where oid = 'kalends_item_version'::regclass`);
  const early = (await walksOf(client)).walks;
  // A purge removes what is days old: by then the server has looked.
  expect(early.filter((walk) => !walk.includes('as next cross join lateral'))).toEqual([]);
  await client.end();
  // Keys, starts of each size but one, the start of a pull, and busy time of two sizes; claims, releases and six kinds of ends of pulls
  // with what goes before them; starts of writes, begins and abandonments of intents; reads, hints, due times (by the caller's clock and
  // by the storage's), missing calendars and cool-downs of schedules; renewals of three kinds of leases; pages of lists and of changes,
  // items (now, and as of a revision), groups and revisions.
  expect(frequent.size).toBe(46);
});

test('no statement of the suite walks a calendar that is much larger than the others of its account', {
  timeout: 240_000,
}, async () => {
  const { url } = await databasePool.take();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await generate(client, { applications: 1, accounts: 1, eventsPerAccount: 30_000, accountsPerSubscription: 1 });
  await addSmallCalendars(client, 300);
  const {
    rows: [{ id }],
  } = await client.query('select id from kalends_account');
  for (const [text, parameters] of texts) {
    // The first page, as large as callers ask for: with a few rows, any plan seems good.
    const limit = Number(/\blimit \$(\d+)/.exec(text)?.[1]) - 1;
    const real = parameters.map((value, index) => {
      if (index === limit) return 251;
      if (value === 'zzz') return '';
      return typeof value === 'string' && value.startsWith('acc') ? id : value;
    });
    texts.set(text, real);
  }
  const { walks } = await walksOf(client);
  // A purge looks at all that its account has changed.
  expect(walks.filter((walk) => / for a whole/.test(walk) && !walk.includes('as next cross join lateral'))).toEqual([]);
  await client.end();
});

/** Walks of the suite's statements, each with the beginning of its text. */
async function walksOf(client: pg.Client) {
  const walks: string[] = [];
  let explained = 0;
  for (const [text, parameters] of texts) {
    if (!/^\s*(?:select|update|delete|insert|with)/.test(text) || ROUNDS.some((round) => round.test(text))) continue;
    const plans = [await client.query(`explain (format json) ${text}`, [...parameters])];
    if (frequent.has(text)) plans.push(await explainKept(client, text, parameters));
    explained += 1;
    for (const walk of plans.flatMap(({ rows }) => findWalks(rows[0]['QUERY PLAN'][0].Plan))) {
      if (SEARCH.test(text) && walk.endsWith('for a whole collection')) continue;
      walks.push(
        `${walk}: ${text
          .replaceAll(/(\$\d+, )+/g, '…, ')
          .replaceAll(/\s+/g, ' ')
          .slice(0, 400)}`,
      );
    }
  }
  return { walks, explained };
}

/** The plan that a session keeps, which knows nothing of the parameters. */
async function explainKept(client: pg.Client, text: string, parameters: readonly unknown[]) {
  const literals = parameters.map((value) => {
    if (value === null) return 'null';
    return pg.escapeLiteral(
      Array.isArray(value) ? `{${value.map((each) => JSON.stringify(each)).join()}}` : String(value),
    );
  });
  await client.query('set plan_cache_mode = force_generic_plan');
  await client.query(`prepare kept as ${text}`);
  const plan = await client.query(`explain (format json) execute kept(${literals.join()})`);
  await client.query('deallocate kept');
  await client.query('reset plan_cache_mode');
  return plan;
}

/** Tables read from end to end, indexes without a condition, and whole collections. */
function findWalks(plan: Plan, parent?: Plan): readonly string[] {
  const { 'Relation Name': table = '', 'Index Name': index = '', 'Index Cond': condition } = plan;
  const below = (plan.Plans ?? []).flatMap((each) => findWalks(each, plan));
  if (plan['Node Type'] === 'Seq Scan' && LARGE.test(table)) return [`Seq Scan on ${table}`, ...below];
  const isIndex = plan['Node Type'].includes('Index');
  // Reading the first of an order is no walk; claims read all waiting targets, which is all that the index holds.
  const isClaim = index === 'kalends_delivery_lane';
  if (isIndex && condition === undefined && !isClaim && parent?.['Node Type'] !== 'Limit')
    return [`${index} without condition`, ...below];
  const within = WITHIN_COLLECTION.find(([name]) => name === index)?.[1];
  if (within !== undefined && !within.test(condition ?? '')) return [`${index} for a whole collection`, ...below];
  return below;
}
