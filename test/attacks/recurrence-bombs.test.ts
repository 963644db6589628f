import { compileSeries, RecurrenceError, type Series } from 'kalends/recurrence';
import { beforeAll, describe, expect, it } from 'vitest';
import { cpuMsOf } from './cpu-time.ts';

/*
 * Recurrences that a stranger's invitation can hold, made to be slow. Each question has a bound on processor time, far above
 * what it takes alone, or is refused as a RecurrenceLimit within the same time.
 */

const BOUND_MS = 400;
const DAY_MS = 86_400_000;
const YEAR = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2027, 0, 1) };
const FOREVER = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

const range = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index).join();
/** Every second of a day by parts. */
const DENSE = `BYHOUR=${range(0, 23)};BYMINUTE=${range(0, 59)};BYSECOND=${range(0, 59)}`;
const ALL_DAYS = 'BYDAY=MO,TU,WE,TH,FR,SA,SU';
const POSITIONS = `BYSETPOS=${range(1, 366)},${range(-366, -1)}`;
const lines = (count: number, line: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => line(i));
const stamps = (count: number, stepMs: number): string =>
  lines(count, (i) => new Date(YEAR.from + i * stepMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')).join('Z,') +
  'Z';

interface Bomb {
  readonly name: string;
  readonly lines: readonly string[];
  readonly gap?: 'forward' | 'skip';
  readonly dtstart?: string;
}

const BOMBS: readonly Bomb[] = [
  { name: 'DAILY without any second', lines: ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=SECONDLY'] },
  { name: 'DAILY without every second second', lines: ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=SECONDLY;INTERVAL=2'] },
  { name: 'SECONDLY without itself', lines: ['RRULE:FREQ=SECONDLY', 'EXRULE:FREQ=SECONDLY'] },
  {
    name: 'SECONDLY without six days of seven',
    lines: ['RRULE:FREQ=SECONDLY', 'EXRULE:FREQ=SECONDLY;BYDAY=MO,TU,WE,TH,FR,SA'],
  },
  { name: 'SECONDLY without every second by parts', lines: ['RRULE:FREQ=SECONDLY', `EXRULE:FREQ=DAILY;${DENSE}`] },
  {
    name: 'SECONDLY without the first and last of each year',
    lines: ['RRULE:FREQ=SECONDLY', `EXRULE:FREQ=YEARLY;${ALL_DAYS};${DENSE};${POSITIONS}`],
  },
  { name: 'DAILY without itself', lines: ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=DAILY'] },
  { name: 'DAILY to its end without itself', lines: ['RRULE:FREQ=DAILY;UNTIL=99990101T000000Z', 'EXRULE:FREQ=DAILY'] },
  {
    name: 'DAILY without 500 rules that miss it',
    lines: ['RRULE:FREQ=DAILY', ...lines(500, (i) => `EXRULE:FREQ=SECONDLY;INTERVAL=${86_401 + i}`)],
  },
  {
    name: 'DAILY without 500 dense rules',
    lines: [
      'RRULE:FREQ=DAILY',
      ...lines(500, (i) => `EXRULE:FREQ=YEARLY;BYMONTHDAY=${1 + (i % 28)};${DENSE};BYSETPOS=${1 + (i % 366)}`),
    ],
  },
  {
    name: 'SECONDLY without every day as a date',
    lines: [
      'RRULE:FREQ=SECONDLY',
      `EXDATE;VALUE=DATE:${lines(3000, (i) => new Date(Date.UTC(2010, 0, 1 + i)).toISOString().slice(0, 10).replaceAll('-', '')).join()}`,
    ],
  },
  { name: "gap 'skip' with a giant COUNT", gap: 'skip', lines: ['RRULE:FREQ=DAILY;COUNT=1000000000'] },
  {
    name: "gap 'skip' with a COUNT of a million",
    gap: 'skip',
    lines: ['RRULE:FREQ=DAILY;COUNT=1000000'],
    dtstart: '2010-01-04T02:30:00',
  },
  {
    name: "gap 'skip' where every slot is in a gap",
    gap: 'skip',
    lines: ['RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU;COUNT=1000'],
    dtstart: '2010-03-14T02:30:00',
  },
  { name: "gap 'skip' of every second of a day", gap: 'skip', lines: [`RRULE:FREQ=DAILY;COUNT=1000000000;${DENSE}`] },
  { name: 'a giant COUNT of Mondays', lines: ['RRULE:FREQ=DAILY;BYDAY=MO;COUNT=1000000000'] },
  { name: 'a giant COUNT of dense days', lines: [`RRULE:FREQ=DAILY;COUNT=1000000000;${DENSE}`] },
  {
    name: 'a giant COUNT of two dense days a year',
    lines: [`RRULE:FREQ=YEARLY;BYYEARDAY=1,100;COUNT=1000000000;${DENSE}`],
  },
  {
    name: 'a giant COUNT of dense BYSETPOS',
    lines: [`RRULE:FREQ=YEARLY;${ALL_DAYS};COUNT=1000000000;${DENSE};${POSITIONS}`],
  },
  {
    name: 'a giant COUNT of monthly BYSETPOS',
    lines: [`RRULE:FREQ=MONTHLY;BYMONTHDAY=1,2,30;COUNT=1000000;${POSITIONS}`],
  },
  {
    name: 'a giant COUNT of weeks with BYSETPOS',
    lines: ['RRULE:FREQ=WEEKLY;BYMONTH=1;BYDAY=MO,FR;BYSETPOS=-1;COUNT=1000000000'],
  },
  {
    name: 'a COUNT of rare leap days',
    lines: ['RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU;COUNT=1000000'],
    dtstart: '2004-02-29T09:00:00',
  },
  { name: 'BYSETPOS that never picks', lines: [`RRULE:FREQ=MONTHLY;BYMONTHDAY=3;BYSETPOS=-3`] },
  { name: '500 rules', lines: lines(500, (i) => `RRULE:FREQ=DAILY;INTERVAL=${i + 1}`) },
  { name: '1,000 rules of every second', lines: lines(1000, (i) => `RRULE:FREQ=DAILY;INTERVAL=${i + 1};${DENSE}`) },
  {
    name: 'a part with 100,000 values',
    lines: [
      `RRULE:FREQ=YEARLY;BYYEARDAY=${Array(100_000).fill('1,-1').join()}`,
      `EXRULE:FREQ=YEARLY;BYDAY=${Array(50_000).fill('1MO').join()}`,
    ],
  },
  {
    name: '20,000 RDATEs and EXDATEs',
    lines: [`RDATE:${stamps(20_000, 3_600_000)}`, `EXDATE:${stamps(20_000, 7_200_000)}`],
  },
  { name: '20,000 EXDATEs of a rule', lines: ['RRULE:FREQ=HOURLY', `EXDATE:${stamps(20_000, 3_600_000)}`] },
];

/** The processor time of a question that ends with an answer or is refused. */
function spentOn(question: () => unknown): number {
  return cpuMsOf(() => {
    try {
      question();
    } catch (error) {
      if (!(error instanceof RecurrenceError)) throw error;
    }
  });
}

/**
 * The first measurement within the bound, else the least of three. What a bomb costs, it costs each time; a collection of
 * the garbage that earlier files left in the process happens to one of them.
 */
function leastOf(measure: () => number): number {
  let least = measure();
  for (let more = 2; more > 0 && least >= BOUND_MS; more -= 1) least = Math.min(least, measure());
  return least;
}

function compileBomb({ lines: given, gap, dtstart }: Bomb): Series {
  return compileSeries({
    dtstart: dtstart ?? '2010-01-04T09:00:00',
    timeZone: 'America/New_York',
    lines: given,
    ...(gap === undefined ? {} : { gap }),
  });
}

const QUESTIONS: readonly (readonly [name: string, ask: (series: Series) => unknown])[] = [
  ['a year', (series) => series.occurrences(YEAR)],
  ['its first slots one by one', (series) => series.iterate(FOREVER).next()],
  ['all, as far as one call goes', (series) => series.occurrences({ from: YEAR.from, to: Number.POSITIVE_INFINITY })],
  ['the first', (series) => series.first()],
  ['the last', (series) => series.last()],
  ['one slot', (series) => series.has(YEAR.from + 9 * 3_600_000)],
  ['a far window', (series) => series.occurrences({ from: Date.UTC(7026, 0, 1), to: Date.UTC(7026, 1, 1) })],
];

beforeAll(() => {
  // The code is compiled and the zone's four hundred years are read once in a process, at the first call.
  const warm = compileBomb({ name: '', gap: 'skip', lines: ['RRULE:FREQ=DAILY;COUNT=1000000', 'EXRULE:FREQ=WEEKLY'] });
  for (const [, ask] of QUESTIONS) ask(warm);
});

describe.each(BOMBS)('$name', (bomb) => {
  it.each(QUESTIONS)('%s', (_name, ask) => {
    let series: Series | undefined;
    expect(
      leastOf(() => spentOn(() => (series = compileBomb(bomb)))),
      'compiling',
    ).toBeLessThan(BOUND_MS);
    if (series === undefined) return;
    let compiled = series;
    const first = leastOf(() => {
      compiled = compileBomb(bomb);
      return spentOn(() => ask(compiled));
    });
    expect(first).toBeLessThan(BOUND_MS);
    // Asked again of the same series it takes no longer.
    expect(leastOf(() => spentOn(() => ask(compiled)))).toBeLessThan(BOUND_MS);
  });
});

it('ten years of days without any second are answered within milliseconds, and in little memory', () => {
  const series = compileBomb({ name: '', lines: ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=SECONDLY'] });
  const before = process.memoryUsage().heapUsed;
  for (const days of [31, 366, 3660]) {
    const window = { from: YEAR.from, to: YEAR.from + days * DAY_MS };
    expect(spentOn(() => expect(series.occurrences(window)).toEqual([]))).toBeLessThan(50);
  }
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000);
});
