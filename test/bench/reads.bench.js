// Reads through the engine and over HTTP, on SQLite and on PostgreSQL, each beside the bare driver doing the same work:
// the same rows by an index made for the purpose, parsed, worked on and printed. KALENDS_BENCH_EVENTS changes the size.
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { google, googleEndpoints } from '@kalends/google';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { postgres } from '@kalends/postgres';
import { createSandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { compileSeries } from 'kalends/recurrence';
import pg from 'pg';
import { DatabaseSync } from './bare-sqlite.js';
import { eventOf } from './mailbox.js';
import { table } from './measure.js';
import { withPostgres } from './with-postgres.js';

const SANDBOX = 'http://sandbox.test';
const CLIENT = { clientId: 'bench', clientSecret: 'bench' };
const EMAIL = 'bench@gmail.example';
const EVENTS = Number(process.env.KALENDS_BENCH_EVENTS ?? 50_000);
const SERIES = 1_000;
const CALENDARS = 50;
const CHANGES = 10;
const ROUNDS = 5;
const ZONE = 'Europe/Berlin';
const HOUR_MS = 3_600_000;
const FIRST_MS = Date.UTC(2026, 0, 1);
/** The month that is asked for: calendars of free/busy are full then. */
const BUSY_MS = Date.UTC(2026, 2, 2);
const MONTH = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z', timeZone: 'UTC' };

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

const eventsOf = (prefix, count, { firstMs = FIRST_MS, recurrence } = {}) =>
  Array.from({ length: count }, (_, index) =>
    eventOf(`${prefix}-${index}`, firstMs + (index % 8_000) * HOUR_MS, recurrence),
  );

async function createWorld(storage) {
  const sandbox = createSandbox({ seed: 1 });
  sandbox.google.addClient({ ...CLIENT, redirectUris: [] });
  sandbox.google.addMailbox({ email: EMAIL, name: 'Bench', timeZone: ZONE });
  const calendar = (name, events, target) =>
    sandbox.google.importCalendar(EMAIL, { name, timeZone: ZONE, events }, target);
  calendar('Bench', eventsOf('single', EVENTS), 'primary');
  calendar('Series', eventsOf('series', SERIES, { recurrence: ['RRULE:FREQ=WEEKLY'] }));
  for (let index = 0; index < CALENDARS; index += 1) {
    calendar(`Busy ${index}`, eventsOf(`busy${index}`, 40, { firstMs: BUSY_MS }));
  }
  const engine = createEngine({
    storage,
    providers: {
      PROVIDER_A: google({
        ...googleEndpoints(`${SANDBOX}/google`),
        fetch: (input, init) => sandbox.fetch(new Request(input, init)),
        limits: { callsPerMinute: Number.POSITIVE_INFINITY },
      }),
    },
    secret: Buffer.alloc(32, 1).toString('base64'),
    sync: { freshWithoutPushMs: 24 * HOUR_MS, readWaitMs: 600_000 },
  });
  await engine.start({ background: false });
  const application = await engine.applications.create({ name: 'Bench' });
  await engine.applications.configureProvider(application.id, 'PROVIDER_A', CLIENT);
  const { key } = await engine.applications.createApiKey(application.id, { name: 'Bench', expiresAt: null });
  const caller = { applicationId: application.id };
  const refreshToken = sandbox.google.issueRefreshToken({ email: EMAIL, clientId: CLIENT.clientId });
  const { account } = await engine.accounts.upsert(caller, { email: EMAIL, providerType: 'PROVIDER_A', refreshToken });
  const { data: calendars } = await engine.calendars.list(caller, account.id, { pageSize: 250 });
  const idOf = (name) => calendars.find((one) => one.name === name).id;
  const world = {
    engine,
    caller,
    account,
    key,
    primary: calendars.find(({ isPrimary }) => isPrimary).id,
    series: idOf('Series'),
    busy: Array.from({ length: CALENDARS }, (_, index) => idOf(`Busy ${index}`)),
  };
  for (const id of [world.primary, world.series, ...world.busy]) {
    await engine.events.list(caller, account.id, id, { pageSize: 1 });
  }
  return world;
}

/** The bare driver, statements prepared once. */
function bareSqlite(path) {
  const database = new DatabaseSync(path);
  const prepared = new Map();
  const run = async (text, values = []) => {
    if (!prepared.has(text)) prepared.set(text, database.prepare(text));
    const statement = prepared.get(text);
    if (statement.columns().length > 0) return statement.all(...values);
    statement.run(...values);
    return [];
  };
  return { run, place: () => '?', close: async () => database.close() };
}

async function barePostgres(connectionString) {
  const pool = new pg.Pool({ connectionString });
  pg.types.setTypeParser(20, Number);
  const names = new Map();
  const run = async (text, values = []) => {
    if (!names.has(text)) names.set(text, `bare_${names.size}`);
    return (await pool.query({ name: names.get(text), text, values })).rows;
  };
  return { run, place: (n) => `$${n}`, close: () => pool.end() };
}

/** The answers of the engine as rows of a table that has just what these reads need. */
async function fillBare({ run, place }, { engine, caller, account, primary, series, busy }) {
  await run(`create table bare_event (calendar text not null, id text not null, revision bigint not null,
    range_start bigint not null, range_end bigint not null, content text not null, primary key (calendar, id))`);
  await run('create index bare_event_start on bare_event (calendar, range_start)');
  await run('create index bare_event_revision on bare_event (calendar, revision)');
  const values = [1, 2, 3, 4, 5, 6].map(place).join(', ');
  await run('begin');
  for (const calendar of [primary, series, ...busy]) {
    let query = { pageSize: 1_000 };
    for (;;) {
      const page = await engine.events.list(caller, account.id, calendar, query);
      for (const [index, item] of page.data.entries()) {
        const revision = calendar === primary && index < CHANGES && !query.pageToken ? 2 : 1;
        const range = [Date.parse(item.start.dateTime), Date.parse(item.end.dateTime)];
        await run(`insert into bare_event values (${values})`, [
          calendar,
          item.id,
          revision,
          ...range,
          JSON.stringify(item),
        ]);
      }
      if (page.nextPageToken === undefined) break;
      query = { pageSize: 1_000, pageToken: page.nextPageToken };
    }
  }
  await run('commit');
}

const print = (rows) => JSON.stringify({ data: rows.map(({ content }) => JSON.parse(content)) });

function bareReads({ run, place }, { primary, series, busy }) {
  const [one, two, three] = [1, 2, 3].map(place);
  const from = Date.parse(MONTH.startDateTime);
  const to = Date.parse(MONTH.endDateTime);
  return {
    list: async (after) =>
      print(
        await run(`select id, content from bare_event where calendar = ${one} and id > ${two} order by id limit 250`, [
          primary,
          after,
        ]),
      ),
    month: async () => {
      const rows = await run(`select content from bare_event where calendar = ${one}`, [series]);
      const occurrences = [];
      for (const { content } of rows) {
        const master = JSON.parse(content);
        const { start, recurrence: lines } = master;
        const compiled = compileSeries({ dtstart: start.dateTime.slice(0, 19), timeZone: start.timeZone, lines });
        for (const { startMs } of compiled.occurrences({ from, to, limit: 100 })) {
          const end = new Date(startMs + HOUR_MS / 2);
          occurrences.push({ ...master, start: new Date(startMs), end, startMs });
        }
      }
      return JSON.stringify(occurrences.sort((a, b) => a.startMs - b.startMs).slice(0, 1_000));
    },
    changes: async () =>
      print(await run(`select content from bare_event where calendar = ${one} and revision > ${two}`, [primary, 1])),
    busy: async () => {
      const result = [];
      for (const calendar of busy) {
        const rows = await run(
          `select range_start, range_end from bare_event where calendar = ${one} and range_start <= ${two}
          and range_end >= ${three} order by range_start`,
          [calendar, to, from],
        );
        result.push({ calendar, busySlots: rows });
      }
      return JSON.stringify(result);
    },
  };
}

/** CPU of this process, which other programs on the machine do not move. */
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Milliseconds of a call, the best of a few turns about, and the bare one's share of the time and of this process's CPU. */
async function compare(ours, bare, calls) {
  const time = async (work) => {
    const begin = performance.now();
    const cpu = cpuMs();
    for (let call = 0; call < calls; call += 1) await work(call);
    return { wall: (performance.now() - begin) / calls, cpu: cpuMs() - cpu };
  };
  await time(ours);
  await time(bare);
  const pairs = [];
  for (let round = 0; round < ROUNDS; round += 1) pairs.push([await time(ours), await time(bare)]);
  const best = (at) => `${Math.min(...pairs.map((pair) => pair[at].wall)).toFixed(2)} ms`;
  const share = (of) => `${Math.round(median(pairs.map(([our, other]) => other[of] / our[of])) * 100)} %`;
  return [best(0), best(1), share('wall'), share('cpu')];
}

async function measureEngine(name, world, driver) {
  const { engine, caller, account, primary, series, busy } = world;
  await fillBare(driver, world);
  const bare = bareReads(driver, world);
  const list = async (calendar, query) => JSON.stringify(await engine.events.list(caller, account.id, calendar, query));
  const tokens = [undefined];
  let syncToken;
  while (tokens.length < 20) {
    const page = await engine.events.list(caller, account.id, primary, { pageSize: 250, pageToken: tokens.at(-1) });
    if (page.nextPageToken === undefined) break;
    tokens.push(page.nextPageToken);
  }
  for (let query = { pageSize: 1_000 }; syncToken === undefined; ) {
    const page = await engine.events.list(caller, account.id, primary, query);
    syncToken = page.nextSyncToken;
    query = { pageSize: 1_000, pageToken: page.nextPageToken };
  }
  const { data } = await engine.events.list(caller, account.id, primary, { pageSize: CHANGES });
  for (const { id } of data) await engine.events.update(caller, account.id, primary, id, { title: 'Changed' });
  const rows = [
    [
      `list 250 of ${EVENTS}, page after page`,
      () => list(primary, { pageSize: 250, pageToken: tokens[Math.floor(Math.random() * tokens.length)] }),
      () => bare.list(''),
      20,
    ],
    [
      `first 1,000 of the month, ${SERIES} series expanded`,
      () => list(series, { ...MONTH, expandRecurrences: 'true', orderBy: 'startDateTime', pageSize: 1_000 }),
      bare.month,
      3,
    ],
    [`read ${CHANGES} changes by sync token`, () => list(primary, { syncToken }), bare.changes, 50],
    [
      `free/busy of a month over ${CALENDARS} calendars`,
      async () => JSON.stringify(await engine.freeBusy.query(caller, account.id, { ...MONTH, calendarIds: busy })),
      bare.busy,
      3,
    ],
  ];
  const results = [];
  for (const [what, ours, other, calls] of rows) results.push([name, what, ...(await compare(ours, other, calls))]);
  return { results, tokens };
}

/** Pages over HTTP against bare node:http that sends the same bytes. */
async function measurePages(name, { engine, account, primary, key }, tokens) {
  const served = createServer(nodeListener(createHandler(engine)));
  const headers = { 'x-api-key': key };
  const urlOf = (server, token) =>
    `http://127.0.0.1:${server.address().port}/v1/events/${account.id}/${encodeURIComponent(primary)}?pageSize=250${token === undefined ? '' : `&pageToken=${token}`}`;
  const get = async (url) => {
    const response = await fetch(url, { headers });
    const body = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${body}`);
    return body;
  };
  await new Promise((resolve) => served.listen(0, '127.0.0.1', resolve));
  const bytes = await get(urlOf(served));
  const bare = createServer((_request, response) => response.setHeader('content-type', 'application/json').end(bytes));
  await new Promise((resolve) => bare.listen(0, '127.0.0.1', resolve));
  const same = await compare(
    () => get(urlOf(served)),
    () => get(urlOf(bare)),
    50,
  );
  let turn = 0;
  // Each page in its turn, more of them than are kept in print: none is found there.
  const each = () =>
    get(`${urlOf(served, tokens[turn++ % tokens.length])}&timeZone=Etc/GMT${turn % 2 === 0 ? '-' : '%2B'}${turn % 11}`);
  const first = await compare(each, () => get(urlOf(bare)), 20);
  for (const server of [served, bare]) server.close().closeAllConnections();
  const size = `${Math.round(bytes.length / 1024)} kB`;
  return [
    [name, `page of 250 over HTTP (${size}), asked for again`, ...same],
    [name, 'page of 250 over HTTP, asked for the first time', ...first],
  ];
}

async function measure(name, storage, driver) {
  const world = await createWorld(storage);
  const { results, tokens } = await measureEngine(name, world, driver);
  const pages = await measurePages(name, world, tokens);
  await world.engine.stop();
  await driver.close();
  return [...results, ...pages];
}

export async function run() {
  console.log('\nReads, each beside the bare driver, or bare node:http, doing the same work');
  const path = join(tmpdir(), `kalends-reads-${process.pid}.db`);
  const rows = [['storage', 'work', 'ours', 'bare', 'share of bare', 'by CPU']];
  try {
    rows.push(...(await measure('SQLite (file)', sqlite({ path }), bareSqlite(`${path}.bare`))));
    await withPostgres(async (url) => {
      const storage = postgres({ connectionString: url, listen: false });
      rows.push(...(await measure('PostgreSQL', storage, await barePostgres(url))));
    });
  } finally {
    for (const name of [path, `${path}.bare`]) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(name + suffix, { force: true });
    }
  }
  table(rows);
}
