// Reads through the engine, on SQLite and on PostgreSQL, each beside the bare driver doing the same work: the same rows by
// an index made for the purpose, parsed, worked on and printed.
import { compileSeries } from 'kalends/recurrence';
import { CHANGES, fillBare, printBare, readBarePage } from './bare-reads.js';
import { cpuMs, median, table } from './measure.js';
import { onEachStorage } from './on-each-storage.js';
import { CALENDARS, createWorld, EVENTS, placesOfPages, SERIES } from './pulled-world.js';

const ROUNDS = 5;
const HOUR_MS = 3_600_000;
/** The month that is asked for: calendars of free/busy are full then. */
const MONTH = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z', timeZone: 'UTC' };

function bareReads(driver, { primary, series, busy }) {
  const { run, place } = driver;
  const [one, two, three] = [1, 2, 3].map(place);
  const from = Date.parse(MONTH.startDateTime);
  const to = Date.parse(MONTH.endDateTime);
  return {
    list: (lastId) => readBarePage(driver, primary, lastId),
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
      printBare(
        await run(`select content from bare_event where calendar = ${one} and revision > ${two}`, [primary, 1]),
      ),
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
  let syncToken;
  for (let query = { pageSize: 1_000 }; syncToken === undefined; ) {
    const page = await engine.events.list(caller, account.id, primary, query);
    syncToken = page.nextSyncToken;
    query = { pageSize: 1_000, pageToken: page.nextPageToken };
  }
  const { data } = await engine.events.list(caller, account.id, primary, { pageSize: CHANGES });
  for (const { id } of data) await engine.events.update(caller, account.id, primary, id, { title: 'Changed' });
  world.leaveProvider();
  // Of the calendar as it is now; each call reads the next page, in both.
  const places = await placesOfPages(world);
  let [read, bareRead] = [0, 0];
  const rows = [
    [
      `list 250 of ${EVENTS}, page after page`,
      () => list(primary, { pageSize: 250, pageToken: places[read++ % places.length].pageToken }),
      () => bare.list(places[bareRead++ % places.length].lastId),
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
  return results;
}

export async function run() {
  console.log('\nReads, each beside the bare driver doing the same work');
  const rows = await onEachStorage(async (name, storage, driver) => {
    const world = await createWorld(storage);
    const results = await measureEngine(name, world, driver);
    await world.engine.stop();
    return results;
  });
  table([['storage', 'work', 'ours', 'bare', 'share of bare', 'by CPU'], ...rows]);
}
