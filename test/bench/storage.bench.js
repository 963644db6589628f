// The storages against their bare drivers doing the same work: items written in batches, and the outbox's claims and
// acknowledgements. PostgreSQL is the one of the tests, or KALENDS_TEST_POSTGRES_URL: without fsync, on both sides.
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgres } from '@kalends/postgres';
import { sqlite } from '@kalends/sqlite';
import pg from 'pg';
import { drainOutbox, drainQueue, rowsOf } from './bare-outbox.js';
import { bareSqlite } from './bare-sqlite.js';
import { median, table } from './measure.js';
import { withPostgres } from './with-postgres.js';

const ITEMS = 10_000;
const BATCH = 500;
const MESSAGES = 2_000;
const CLAIM = 100;
const ROUNDS = 5;
const UPSERT_ROUNDS = 5;
const APPLICATION = 'app_bench';
const ACCOUNT = 'acc_bench';
const times = { createdAt: 1, updatedAt: 1 };

const content = (index, round) => ({
  id: `event-${index}`,
  title: `Event ${index} in round ${round}`,
  description: 'A line that says what this is about, as most events have. '.repeat(4),
  location: 'Room 4',
  start: { dateTime: '2026-03-01T09:00:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-03-01T09:30:00', timeZone: 'Europe/Berlin' },
  attendees: [{ email: 'ada@example.com', status: 'accepted' }],
});

const chunks = (items, size) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

async function rateOf(count, work) {
  const begin = performance.now();
  await work();
  return count / ((performance.now() - begin) / 1000);
}

/** As durable as the storage's own. */
function durableSqlite(path) {
  const driver = bareSqlite(path, ['synchronous = full', 'journal_mode = wal', 'foreign_keys = on']);
  return { ...driver, begin: 'begin immediate', skipLocked: '', hasLateral: false };
}

async function barePostgres(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const run = async (text, values = []) => (await client.query(text, values)).rows;
  return {
    run,
    place: (n) => `$${n}`,
    begin: 'begin',
    skipLocked: 'for update skip locked',
    hasLateral: true,
    close: () => client.end(),
  };
}

const BARE_COLUMNS = 'collection, id, content, etag, range_start, range_end';

/** Stands behind an insert: an item that is there already takes the new values. */
const OR_UPDATE = ` on conflict (collection, id) do update set content = excluded.content, etag = excluded.etag,
  range_start = excluded.range_start, range_end = excluded.range_end`;

async function bareUpsert(driver, indexes, round) {
  const rows = indexes.map((index) => {
    const body = JSON.stringify(content(index, round));
    return [1, `event-${index}`, body, `"${round}-${index}"`, index * 1000, index * 1000 + 900];
  });
  await driver.run(driver.begin);
  for (const piece of chunks(rows, BATCH / 2)) {
    const { text, values } = rowsOf(driver, piece);
    await driver.run(`insert into bare_item (${BARE_COLUMNS}) values ${text}${OR_UPDATE}`, values);
  }
  await driver.run('commit');
}

async function ourUpsert(storage, key, indexes, round) {
  const writes = indexes.map((index) => ({
    itemId: `event-${index}`,
    groupId: `event-${index}`,
    content: content(index, round),
    etag: `"${round}-${index}"`,
    providerTag: null,
    mappingVersion: 1,
    rangeStart: index * 1000,
    rangeEnd: index * 1000 + 900,
  }));
  const basedOn = Number.MAX_SAFE_INTEGER;
  await storage.mirror.commit(key, { writes, basedOn, at: 1, tag: `t${round}-${indexes[0]}` });
}

/**
 * Items a second in our commits and in bare ones, which go by turns: what else the machine does hits both alike. In the first
 * round the items are new, in the next they change.
 */
async function byTurns(storage, driver, key, round) {
  if (round === 0) await driver.run('delete from bare_item');
  const took = { ours: 0, bare: 0 };
  const timed = async (side, work) => {
    const begin = performance.now();
    await work();
    took[side] += performance.now() - begin;
  };
  const all = Array.from({ length: ITEMS }, (_, index) => index);
  for (const indexes of chunks(all, BATCH)) {
    await timed('bare', () => bareUpsert(driver, indexes, round));
    await timed('ours', () => ourUpsert(storage, key, indexes, round));
  }
  return [ITEMS / (took.ours / 1000), ITEMS / (took.bare / 1000)];
}

/** As the dispatcher does it, and the bare loops: what one transaction claims, the next acknowledges, and claims more. */
async function ourOutbox(storage, round) {
  let sent = 0;
  let ends = [];
  do {
    const { claims } = await storage.outbox.acknowledgeAndClaim(ends, { limit: CLAIM, leaseMs: 60_000 });
    ends = claims.map(({ target, message, epoch }) => ({
      applicationId: APPLICATION,
      targetId: target.id,
      messageId: message.id,
      epoch,
      attempt: {
        id: `att-${round}-${message.id}`,
        eventType: message.eventType,
        at: 1,
        status: 200,
        failure: null,
        latencyMs: 1.5,
        excerpt: '',
      },
      outcome: { kind: 'delivered' },
    }));
    sent += claims.length;
  } while (ends.length > 0);
  if (sent !== MESSAGES) throw new Error(`${sent} messages were sent, not ${MESSAGES}`);
}

async function prepare(storage) {
  await storage.open();
  await storage.applications.create({ id: APPLICATION, name: 'Bench', redirectUrls: [], ...times, deletedAt: null });
  await storage.accounts.save(
    {
      ...{ id: ACCOUNT, applicationId: APPLICATION, providerType: 'PROVIDER_A', providerConfigId: 'prv_1' },
      ...{
        providerAccountId: null,
        email: 'ada@example.com',
        externalId: null,
        authorizedScopes: [],
        status: 'ACTIVE',
      },
      ...times,
    },
    {
      ...{ id: 'crd_1', kind: 'oauth', applicationId: APPLICATION, accountId: ACCOUNT, wrappedKey: '' },
      ...{ sealedAccessToken: '', sealedRefreshToken: '', expiresAt: 1, status: 'ACTIVE', version: 1 },
      ...times,
    },
  );
  for (let index = 0; index < MESSAGES; index += 1) {
    await storage.subscriptions.insert({
      ...{
        id: `whs_${index}`,
        applicationId: APPLICATION,
        accountId: ACCOUNT,
        calendarId: 'cal',
        subscriptionType: 'event',
      },
      ...{
        providerType: 'PROVIDER_A',
        url: `https://receiver${index % 50}.example/hook`,
        wrappedKey: '',
        sealedSecret: '',
      },
      ...{
        previousSealedSecret: null,
        previousSecretUntil: null,
        rateLimit: null,
        detail: 'change',
        format: 'plain',
        disabledAt: null,
        failingSince: null,
      },
      ...times,
    });
  }
}

async function enqueueAll(storage, round) {
  for (let index = 0; index < MESSAGES; index += 1) {
    await storage.outbox.enqueue({
      applicationId: APPLICATION,
      targetId: `whs_${index}`,
      eventType: 'calendar.event.changed',
      timestamp: 1,
      messageId: `msg_${round}_${index}`,
    });
  }
}

async function fillQueue(driver, round) {
  const rows = Array.from({ length: MESSAGES }, (_, index) => [
    `msg_${round}_${index}`,
    `whs_${index}`,
    0,
    index,
    0,
    '{}',
  ]);
  for (const part of chunks(rows, 500)) {
    const { text, values } = rowsOf(driver, part);
    await driver.run(`insert into bare_message (id, target_id, state, due_at, attempts, body) values ${text}`, values);
  }
}

const BARE_TABLES = [
  `create table bare_item (collection bigint not null, id text not null, content text not null, etag text not null,
    range_start bigint, range_end bigint, primary key (collection, id))`,
  'create index bare_item_start on bare_item (collection, range_start)',
  `create table bare_message (id text primary key, target_id text not null, state bigint not null, due_at bigint not null,
    attempts bigint not null, leased_until bigint, body text not null)`,
  'create index bare_message_due on bare_message (state, due_at)',
  `create table bare_attempt (id text primary key, target_id text not null, message_id text not null, at bigint not null,
    status bigint, latency_ms double precision not null, excerpt text not null)`,
];

/** @param own the bare driver on the storage's own database */
async function compare(name, { storage, driver, own }) {
  await prepare(storage);
  for (const text of BARE_TABLES) await driver.run(text);
  const results = { insert: [], change: [], queue: [], outbox: [] };
  for (let turn = 0; turn < UPSERT_ROUNDS; turn += 1) {
    const key = { applicationId: APPLICATION, accountId: ACCOUNT, calendarId: `cal_${turn}` };
    await storage.mirror.ensure(key, { at: 1, tag: 't', timeZone: 'UTC' });
    results.insert.push(await byTurns(storage, driver, key, 0));
    results.change.push(await byTurns(storage, driver, key, 1));
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    await fillQueue(driver, round);
    const queue = await rateOf(MESSAGES, () => drainQueue(driver));
    await enqueueAll(storage, `bare-${round}`);
    const bare = await rateOf(MESSAGES, () => drainOutbox(own));
    await enqueueAll(storage, round);
    const ours = await rateOf(MESSAGES, () => ourOutbox(storage, round));
    results.queue.push([ours, queue]);
    results.outbox.push([ours, bare]);
  }
  const line = (what, pairs) => {
    const share = median(pairs.map(([ours, bare]) => ours / bare));
    const best = (at) => `${Math.round(Math.max(...pairs.map((pair) => pair[at])))}/s`;
    return [name, what, best(0), best(1), `${Math.round(share * 100)} %`];
  };
  await storage.close();
  await driver.close();
  await own.close();
  return [
    line(`first pull of ${ITEMS} items`, results.insert),
    line(`${ITEMS} changed items, against bare upserts`, results.change),
    line(`claim and acknowledge ${MESSAGES} messages, ${CLAIM} at a time`, results.outbox),
    line('the same, against a queue of one table', results.queue),
  ];
}

export async function run() {
  console.log('\nThe storages, each against its bare driver doing the same work');
  const path = join(tmpdir(), `kalends-bench-${process.pid}.db`);
  const rows = [['storage', 'work', 'ours', 'bare', 'share']];
  try {
    const storage = sqlite({ path });
    rows.push(
      ...(await compare('SQLite (file)', { storage, driver: durableSqlite(`${path}.bare`), own: durableSqlite(path) })),
    );
    await withPostgres(async (url) => {
      const storage = postgres({ connectionString: url, listen: false });
      const [driver, own] = [await barePostgres(url), await barePostgres(url)];
      rows.push(...(await compare('PostgreSQL', { storage, driver, own })));
    });
  } finally {
    for (const name of [path, `${path}.bare`]) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(name + suffix, { force: true });
    }
  }
  table(rows);
}
