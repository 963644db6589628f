// Questions that a series made to be slow is asked: kalends beside the peers that can be asked at all.
import { compileSeries, RecurrenceLimit } from 'kalends/recurrence';
import rruleModule from 'rrule';
import { RRuleTemporal } from 'rrule-temporal';
import { cpuMs, table, text } from './measure.js';

const { rrulestr } = rruleModule;
const zone = 'America/New_York';
const FOREVER = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
const year = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];

const kalends = {
  name: 'kalends',
  compile({ dtstart = '2010-01-04T09:00:00', lines, gap }) {
    const series = compileSeries({ dtstart, timeZone: zone, lines, gap });
    return {
      between: (from, to) => series.occurrences({ from, to }).length,
      first: () => series.first()?.startMs,
      last: () => series.last()?.startMs,
      firstTen: () => series.occurrences({ ...FOREVER, limit: 10 }).length,
    };
  },
};

const basic = (dtstart) => dtstart.replaceAll(/[-:]/g, '');

/** rrule in floating time; it has EXRULE, but neither gaps nor a last occurrence other than that of all. */
const rrule = {
  name: 'rrule',
  compile({ dtstart = '2010-01-04T09:00:00', lines, gap }) {
    if (gap !== undefined) return {};
    const set = rrulestr([`DTSTART:${basic(dtstart)}Z`, ...lines].join('\n'), { forceset: true, cache: false });
    return {
      between: (from, to) => set.between(new Date(from), new Date(to - 1), true).length,
      first: () => set.after(new Date(0), true)?.getTime(),
      last: () => set.before(new Date(Date.UTC(9999, 0, 1)))?.getTime(),
      firstTen: () => set.all((_, index) => index < 10).length,
    };
  },
};

/** rrule-temporal leaves out what is in a gap, as gap 'skip' does; it has no EXRULE. */
const temporal = {
  name: 'rrule-temporal',
  compile({ dtstart = '2010-01-04T09:00:00', lines }) {
    if (lines.length > 1) return {};
    const rruleString = `DTSTART;TZID=${zone}:${basic(dtstart)}\n${lines[0]}`;
    const rule = new RRuleTemporal({ rruleString, maxIterations: 10_000_000 });
    return {
      between: (from, to) => rule.between(new Date(from), new Date(to - 1), true).length,
      first: () => rule.next(new Date(0), true)?.epochMilliseconds,
      last: () => rule.previous(new Date(Date.UTC(9999, 0, 1)), true)?.epochMilliseconds,
      firstTen: () => rule.all((_, index) => index < 10).length,
    };
  },
};

const PEERS = { rrule, 'rrule-temporal': temporal };

const CASES = [
  {
    name: 'EXRULE:FREQ=SECONDLY, one month',
    lines: ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=SECONDLY'],
    ask: (each) => each.between?.(year[0], Date.UTC(2026, 1, 1)),
  },
  {
    name: 'EXRULE:FREQ=SECONDLY, one year',
    lines: ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=SECONDLY'],
    ask: (each) => each.between?.(...year),
  },
  {
    name: 'EXRULE:FREQ=WEEKLY, one year',
    lines: ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY;BYDAY=SA,SU'],
    ask: (each) => each.between?.(...year),
  },
  {
    name: 'first of SECONDLY without itself',
    lines: ['RRULE:FREQ=SECONDLY', 'EXRULE:FREQ=SECONDLY'],
    ask: (each) => each.first?.(),
  },
  {
    name: "gap 'skip', COUNT=1e9, first ten",
    dtstart: '2010-01-04T02:30:00',
    gap: 'skip',
    lines: ['RRULE:FREQ=DAILY;COUNT=1000000000'],
    ask: (each) => each.firstTen?.(),
  },
  {
    name: "gap 'skip', COUNT=1e6, last",
    dtstart: '2010-01-04T02:30:00',
    gap: 'skip',
    lines: ['RRULE:FREQ=DAILY;COUNT=1000000'],
    ask: (each) => each.last?.(),
  },
  { name: 'DAILY;COUNT=1e6, first', lines: ['RRULE:FREQ=DAILY;COUNT=1000000'], ask: (each) => each.first?.() },
  { name: 'DAILY;COUNT=1e6, last', lines: ['RRULE:FREQ=DAILY;COUNT=1000000'], ask: (each) => each.last?.() },
  {
    name: 'DAILY;BYDAY=MO;COUNT=1e9, last',
    lines: ['RRULE:FREQ=DAILY;BYDAY=MO;COUNT=1000000000'],
    ask: (each) => each.last?.(),
  },
  { name: 'HOURLY;COUNT=1e6, last', lines: ['RRULE:FREQ=HOURLY;COUNT=1000000'], ask: (each) => each.last?.() },
];

/** Compiles and asks once, and answers the processor time; undefined where there is no such question. */
function timeOfCase(each, question) {
  const begin = cpuMs();
  let answer;
  try {
    answer = question.ask(each.compile(question));
  } catch (error) {
    if (error instanceof RecurrenceLimit) answer = 'refused';
    else return { ms: cpuMs() - begin, note: `throws: ${String(error.message).slice(0, 40)}` };
  }
  if (answer === undefined && each !== kalends) return undefined;
  return { ms: cpuMs() - begin, note: answer === 'refused' ? 'refused' : '' };
}

/** Asks every question; `askPeer` runs a peer in a process of its own and says `hangs` when it does not answer. */
export function compareQuestions(askPeer) {
  const rows = [['compiled and asked once', 'kalends', 'rrule', 'rrule-temporal']];
  for (const question of CASES) {
    const times = [0, 1, 2].map(() => timeOfCase(kalends, question));
    const own = times.reduce((best, time) => (time.ms < best.ms ? time : best));
    const cells = [`${text(own.ms)} ${own.note}`.trim()];
    for (const name of Object.keys(PEERS)) {
      const found = askPeer(name, question.name);
      if (found === undefined) cells.push('–');
      else if (found === 'hangs') cells.push('hangs');
      else cells.push(found.note === '' ? `${text(found.ms)} (${(found.ms / own.ms).toPrecision(2)}×)` : found.note);
    }
    rows.push([question.name, ...cells]);
  }
  table(rows);
}

export const askPeerHere = (peer, name) =>
  timeOfCase(
    PEERS[peer],
    CASES.find((question) => question.name === name),
  );
