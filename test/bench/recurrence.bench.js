// Recurrence: the expander beside rrule with luxon, rrule-temporal, rrule-rust and ical.js, their mistakes first, then their speed.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { libraryOf, MODULES } from './libraries.js';
import { median, table, text, timeOf } from './measure.js';
import { correctnessRows } from './recurrence-correctness.js';
import { writeRecurrenceTable } from './write-recurrence-table.js';

const zone = 'America/New_York';

const utc = (...parts) => Date.UTC(...parts);
const daily = { dtstart: '2010-01-04T09:00:00', rule: 'FREQ=DAILY' };

/** Series begin in 2010 and are read in 2026. The times meet no gap and no overlap, where libraries differ. */
const windows = [
  { name: 'daily, one week', ...daily, from: utc(2026, 5, 1), to: utc(2026, 5, 8) },
  {
    name: 'daily, the week of a clock change',
    ...daily,
    from: utc(2026, 2, 5),
    to: utc(2026, 2, 12),
  },
  {
    name: 'weekly MO,WE,FR, one week',
    dtstart: '2010-01-04T09:00:00',
    rule: 'FREQ=WEEKLY;BYDAY=MO,WE,FR',
    from: utc(2026, 5, 1),
    to: utc(2026, 5, 8),
  },
  {
    name: 'monthly -1FR, one month',
    dtstart: '2010-01-29T09:00:00',
    rule: 'FREQ=MONTHLY;BYDAY=-1FR',
    from: utc(2026, 5, 1),
    to: utc(2026, 6, 1),
  },
  {
    name: 'last weekday by BYSETPOS, one month',
    dtstart: '2010-01-29T09:00:00',
    rule: 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
    from: utc(2026, 5, 1),
    to: utc(2026, 6, 1),
  },
  {
    name: 'yearly BYMONTH=3;BYDAY=2SU, one year',
    dtstart: '2010-03-14T09:00:00',
    rule: 'FREQ=YEARLY;BYMONTH=3;BYDAY=2SU',
    from: utc(2026, 0, 1),
    to: utc(2027, 0, 1),
  },
  {
    name: 'COUNT=5000 daily, its last week',
    dtstart: '2010-01-04T09:00:00',
    rule: 'FREQ=DAILY;COUNT=5000',
    from: utc(2023, 8, 5),
    to: utc(2023, 8, 14),
  },
  {
    name: 'MINUTELY;INTERVAL=15, one day',
    dtstart: '2010-01-04T09:00:00',
    rule: 'FREQ=MINUTELY;INTERVAL=15',
    from: utc(2026, 5, 1, 4),
    to: utc(2026, 5, 2, 4),
  },
];

const MIXED_RULES = [
  'FREQ=DAILY',
  'FREQ=DAILY;INTERVAL=3;COUNT=2500',
  'FREQ=WEEKLY;BYDAY=MO,WE,FR',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH',
  'FREQ=WEEKLY;BYDAY=SA;UNTIL=20281231T235959Z',
  'FREQ=MONTHLY;BYMONTHDAY=15',
  'FREQ=MONTHLY;BYDAY=-1FR',
  'FREQ=MONTHLY;BYDAY=2TU',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
  'FREQ=YEARLY;BYMONTH=6;BYDAY=3SU',
];
const mixed = Array.from({ length: 1000 }, (_, index) => ({
  dtstart: `2010-01-${String(4 + (index % 20)).padStart(2, '0')}T${String(8 + (index % 10)).padStart(2, '0')}:00:00`,
  zone,
  rule: MIXED_RULES[index % MIXED_RULES.length],
}));

/** The result of a workload, or its error. */
function attempt(work) {
  try {
    return { starts: work() };
  } catch (error) {
    return { failure: error instanceof Error ? error.message.slice(0, 60) : 'throws' };
  }
}

/** Batches short enough that other programs on the machine leave some of them alone. */
const SHORT = { batches: 40, batchMs: 4 };

/** Measures a workload in each way of each library; the fastest way counts. All answers are compared with ours before. */
function measureRow(name, libraries, workOf, agree) {
  const [own, ...peers] = libraries;
  const ownWork = workOf(own.ways[0]);
  const wanted = JSON.stringify(agree(ownWork()));
  const ownMs = timeOf(ownWork, SHORT);
  const cells = peers.map(({ ways }) => {
    const times = [];
    for (const way of ways) {
      const { starts, failure } = attempt(() => agree(workOf(way)()));
      if (failure !== undefined) return { text: `throws: ${failure}` };
      if (JSON.stringify(starts) !== wanted) return { text: 'wrong' };
      times.push(timeOf(workOf(way), SHORT));
    }
    const ms = Math.min(...times);
    return { text: `${text(ms)} (${ratio(ms / ownMs)}×)`, ms };
  });
  return [name, text(ownMs), ...cells.map((cell) => cell.text)];
}

function ratio(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2);
}

function speedRows(libraries) {
  const rows = [];
  const same = (found) => found;
  const compiledBy = (series) => {
    const known = new Map();
    return (way) => known.get(way) ?? known.set(way, way.compile({ zone, ...series })).get(way);
  };
  // Windows a few seconds apart, so that no memory of the last answer is asked.
  const near = (from, call) => from + (call % 900) * 1000;
  for (const { name, from, to, ...series } of windows) {
    const compiled = compiledBy(series);
    const work =
      (way) =>
      (call = 0) =>
        compiled(way).between(near(from, call), to);
    rows.push(measureRow(name, libraries, work, same));
  }
  const compiled = compiledBy(daily);
  const [from, to] = [utc(2026, 2, 5), utc(2026, 2, 12)];
  const asText =
    (way) =>
    (call = 0) =>
      compiled(way).iso(near(from, call), to);
  rows.push(measureRow('the same week as ISO texts', libraries, asText, same));
  rows.push(measureRow('10,000 occurrences, whole', libraries, (way) => () => compiled(way).firstN(10_000), same));
  const month = [utc(2026, 5, 1), utc(2026, 6, 1)];
  const readAll = (way) => () => mixed.map((series) => way.compile(series).between(...month));
  rows.push(measureRow('1,000 mixed series × one month, parse included', libraries, readAll, same));
  const parsed = { dtstart: '2010-01-04T09:00:00', zone, rule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;COUNT=100' };
  rows.push(
    measureRow(
      'parse one rule',
      libraries,
      (way) => () => way.parse(parsed),
      () => true,
    ),
  );
  return rows;
}

const COLD_STARTS = 9;

/** Milliseconds from the import to the first answer, the median of fresh processes; the libraries take turns. */
function coldStartRow() {
  const process = fileURLToPath(new URL('cold-start-process.js', import.meta.url));
  const times = new Map(MODULES.map((module) => [module, []]));
  for (let turn = 0; turn < COLD_STARTS; turn++) {
    for (const module of MODULES) {
      times.get(module).push(Number(execFileSync('node', [process, module], { encoding: 'utf8' })));
    }
  }
  const [own, ...peers] = MODULES.map((module) => median(times.get(module)));
  return ['cold start: import and first answer', text(own), ...peers.map((ms) => `${text(ms)} (${ratio(ms / own)}×)`)];
}

/** Compares libraries by their answers and their times. With `write`, the tables go into the README of the package. */
export async function run({ write = false } = {}) {
  const libraries = [];
  for (const module of MODULES) libraries.push(await libraryOf(module));
  const names = ['', ...libraries.map(({ name }) => name)];
  const correctness = [names, ...(await correctnessRows(MODULES))];
  const speed = [names, ...speedRows(libraries), coldStartRow()];
  console.log('recurrence, right answers');
  table(correctness);
  console.log(`recurrence, Node ${process.version}, tz data ${process.versions.tz}; time of one call, best of several`);
  table(speed);
  if (write) writeRecurrenceTable({ libraries, correctness, speed });
}
