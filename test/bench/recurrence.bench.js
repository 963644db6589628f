import { compileSeries, parseRecurrence } from 'kalends/recurrence';
import { table, text, timeOf } from './measure.js';
import { peers } from './peers.js';

const zone = 'America/New_York';

const kalends = {
  name: 'kalends',
  parse: ({ rule }) => parseRecurrence([`RRULE:${rule}`]),
  compile({ dtstart, rule }) {
    const series = compileSeries({ dtstart, timeZone: zone, lines: [`RRULE:${rule}`] });
    return {
      between: (from, to) => series.occurrences({ from, to }),
      firstN: (limit) => series.occurrences({ from: 0, to: Number.POSITIVE_INFINITY, limit }),
    };
  },
};

const all = [kalends, ...peers];
const starts = (found) => found.map((each) => (typeof each === 'number' ? each : each.startMs));

const utc = (...parts) => Date.UTC(...parts);
const daily = { dtstart: '2010-01-04T09:00:00', rule: 'FREQ=DAILY' };

/** Series begin in 2010 and are read in 2026. None meets a change of clocks, where libraries differ. */
const windows = [
  { name: 'daily, one week', ...daily, from: utc(2026, 5, 1), to: utc(2026, 5, 8) },
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

function measureRow(name, workOf, agree) {
  const own = workOf(kalends);
  const wanted = agree(own());
  const ownMs = timeOf(own);
  const cells = peers.map((peer) => {
    const { starts: found, failure } = attempt(() => agree(workOf(peer)()));
    if (failure !== undefined) return { text: `throws: ${failure}` };
    if (JSON.stringify(found) !== JSON.stringify(wanted)) return { text: 'WRONG' };
    const ms = timeOf(workOf(peer), { batches: 3 });
    return { text: `${text(ms)} (${(ms / ownMs).toPrecision(2)}×)`, ms };
  });
  const fastest = Math.min(...cells.map((cell) => cell.ms ?? Number.POSITIVE_INFINITY));
  return [name, text(ownMs), ...cells.map((cell) => cell.text), `${(fastest / ownMs).toPrecision(3)}×`];
}

/** Times every workload on kalends and its peers; all answers are compared before any is timed. */
export async function run() {
  const rows = [['', ...all.map((each) => each.name), 'fastest peer / kalends']];
  for (const { name, from, to, ...series } of windows) {
    const compiled = new Map(all.map((each) => [each, each.compile({ zone, ...series })]));
    // Windows a few seconds apart, so that no memory of the last answer is asked.
    const read =
      (each) =>
      (call = 0) =>
        compiled.get(each).between(from + (call % 900) * 1000, to);
    rows.push(measureRow(name, read, starts));
  }
  const compiled = new Map(all.map((each) => [each, each.compile({ zone, ...daily })]));
  rows.push(measureRow('10,000 occurrences, whole', (each) => () => compiled.get(each).firstN(10_000), starts));
  const month = [utc(2026, 5, 1), utc(2026, 6, 1)];
  const readAll = (each) => () => mixed.map((series) => each.compile(series).between(...month));
  rows.push(measureRow('1,000 mixed series × one month, parse included', readAll, (found) => found.map(starts)));
  const parsed = { dtstart: '2010-01-04T09:00:00', zone, rule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;COUNT=100' };
  rows.push(
    measureRow(
      'parse one rule',
      (each) => () => each.parse(parsed),
      () => true,
    ),
  );
  console.log(`recurrence, Node ${process.version}, tz data ${process.versions.tz}; time of one call, best of several`);
  table(rows);
}
