import fc from 'fast-check';
import { compileSeries, parseRecurrence, RecurrenceError } from 'kalends/recurrence';
import { describe, expect, test } from 'vitest';
import { compare, SEED } from '../differential/cases.ts';

const YEAR_MS = 366 * 86_400_000;
const BOUND_MS = 50;

const range = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index).join(',');
const number = (min: number, max: number) => fc.integer({ min, max }).map(String);
const list = (min: number, max: number, length: number) =>
  fc
    .array(
      fc.integer({ min, max }).filter((value) => value !== 0 || min === 0),
      { minLength: 1, maxLength: length },
    )
    .map((values) => values.join(','));
const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU');
const weekdays = fc
  .array(fc.tuple(fc.constantFrom('', '', '1', '-1', '5', '-5', '53', '-53'), weekday), { minLength: 1, maxLength: 5 })
  .map((days) => days.map((day) => day.join('')).join(','));

/** Parts made to be slow: never met, met once in centuries, met by almost every second, counted into the millions. */
const part = fc.oneof(
  fc.tuple(
    fc.constant('INTERVAL'),
    fc.oneof(number(1, 100), number(1, 100_000), fc.constantFrom('7', '86399', '86400', '86401', '1000000000')),
  ),
  fc.tuple(fc.constant('COUNT'), fc.oneof(number(1, 1000), number(1_000_000, 1_000_000_000))),
  fc.tuple(
    fc.constant('UNTIL'),
    fc.constantFrom('99991231T235959Z', '20260101', '18000101T000000Z', '20400229T120000'),
  ),
  fc.tuple(fc.constant('BYMONTH'), list(1, 12, 4)),
  fc.tuple(fc.constant('BYMONTHDAY'), fc.oneof(list(-31, 31, 8), fc.constantFrom('30', '31', '29,30', '-30,-31'))),
  fc.tuple(fc.constant('BYYEARDAY'), fc.oneof(list(-366, 366, 8), fc.constantFrom('366', '-366'))),
  fc.tuple(fc.constant('BYWEEKNO'), fc.oneof(list(-53, 53, 8), fc.constantFrom('53', '-53'))),
  fc.tuple(fc.constant('BYDAY'), weekdays),
  fc.tuple(fc.constant('BYHOUR'), fc.oneof(list(0, 23, 8), fc.constantFrom(range(0, 23), '2', '3'))),
  fc.tuple(fc.constant('BYMINUTE'), fc.oneof(list(0, 59, 20), fc.constantFrom(range(0, 59), range(0, 30), '19'))),
  fc.tuple(fc.constant('BYSECOND'), fc.oneof(list(0, 60, 20), fc.constantFrom(range(0, 58), range(0, 29), '1'))),
  fc.tuple(fc.constant('BYSETPOS'), fc.oneof(list(-366, 366, 20), fc.constantFrom('-1', '366', '-366', '1'))),
  fc.tuple(fc.constant('WKST'), weekday),
);

const hostileRule = fc
  .tuple(
    fc.constantFrom('YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'),
    fc.uniqueArray(part, { selector: ([name]) => name, maxLength: 6 }),
  )
  .map(([freq, parts]) => `FREQ=${freq}${parts.map(([name, value]) => `;${name}=${value}`).join('')}`)
  .filter((rule) => rule.length < 200);

const NAMED = [
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31;BYMONTH=4',
  'FREQ=WEEKLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MINUTELY;INTERVAL=2;BYMINUTE=19',
  'FREQ=MINUTELY;INTERVAL=1440;BYHOUR=3',
  'FREQ=SECONDLY;INTERVAL=2;BYSECOND=1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59',
  'FREQ=HOURLY;INTERVAL=168;BYDAY=SU',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU',
  'FREQ=YEARLY;INTERVAL=400;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO',
  'FREQ=YEARLY;BYDAY=53MO;BYYEARDAY=1',
  'FREQ=YEARLY;INTERVAL=1000000000',
  'FREQ=DAILY;INTERVAL=1000000000;BYMONTHDAY=31',
  'FREQ=SECONDLY;INTERVAL=7;COUNT=50000000;BYMINUTE=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39',
  `FREQ=SECONDLY;COUNT=223467895;BYSECOND=${range(0, 29)}`,
  'FREQ=DAILY;COUNT=1000000000;BYDAY=MO',
  `FREQ=YEARLY;BYMINUTE=${range(0, 59)};BYSETPOS=-1`,
];

/** Processor time rather than time on the clock, so that a busy machine does not count. */
function spentSince(begin: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

/** The time of everything a caller may ask about one year, on a series that was never used. */
function timeOf(rule: string, timeZone: string | null, yearsLater: number): number {
  const begin = process.cpuUsage();
  const series = compileSeries({ dtstart: '2010-01-04T09:00:00', timeZone, lines: [`RRULE:${rule}`] });
  const from = Date.UTC(2010 + yearsLater, 0, 1);
  const found = series.occurrences({ from, to: from + YEAR_MS });
  expect(found.length).toBeLessThanOrEqual(50_000);
  return spentSince(begin);
}

/** A collection of garbage may fall into a run, so a slow one has two more chances. */
function staysWithin(rule: string, timeZone: string | null, yearsLater: number, ask = timeOf): void {
  let spent = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3 && spent > BOUND_MS; attempt++) {
    try {
      spent = Math.min(spent, ask(rule, timeZone, yearsLater));
    } catch (error) {
      if (!(error instanceof RecurrenceError)) throw error;
      return;
    }
  }
  expect(spent, `${rule} in ${timeZone}, ${yearsLater} years later`).toBeLessThan(BOUND_MS);
}

/** The slowest questions: the first and last of a series, and the next slot with no end to the window. */
function timeOfEnds(rule: string, timeZone: string | null, yearsLater: number): number {
  const begin = process.cpuUsage();
  const series = compileSeries({ dtstart: '2010-01-04T09:00:00', timeZone, lines: [`RRULE:${rule}`] });
  series.first();
  series.last();
  const from = Date.UTC(2010 + yearsLater, 0, 1);
  series.occurrences({ from, to: Number.POSITIVE_INFINITY, limit: 1 });
  series.has(from);
  return spentSince(begin);
}

describe('no rule of under 200 characters takes 50 ms for a year', () => {
  test.each(NAMED)('%s', (rule) => {
    for (const timeZone of ['America/New_York', 'Africa/Casablanca', null]) {
      for (const later of [0, 16]) staysWithin(rule, timeZone, later);
    }
  });

  test('10,000 rules made to be slow', () => {
    const zone = fc.constantFrom('America/New_York', 'Africa/Casablanca', null);
    compare(
      'hostile rules',
      fc.tuple(hostileRule, zone, fc.constantFrom(0, 1, 16)),
      10_000,
      ([rule, timeZone, later]) => staysWithin(rule, timeZone, later),
    );
  });

  test('10,000 texts that are hardly rules end as a RecurrenceError or as a rule', () => {
    const text = fc.array(
      fc.oneof(
        fc.constantFrom(
          'RRULE:',
          'FREQ=',
          'DAILY',
          ';',
          '=',
          ',',
          'BYDAY',
          'MO',
          '-',
          '+',
          ':',
          'T',
          'Z',
          '\n',
          ' ',
          '"',
          'EXDATE',
          'TZID=',
        ),
        number(-400, 400),
        fc.string({ maxLength: 3 }),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(text, (words) => {
        try {
          parseRecurrence([words.join('')]);
        } catch (error) {
          expect(error).toBeInstanceOf(RecurrenceError);
        }
      }),
      { numRuns: 10_000, seed: SEED },
    );
  });
});

describe('the ends of a series are found within a bound', () => {
  test.each(NAMED)('%s', (rule) => {
    for (const timeZone of ['America/New_York', null]) staysWithin(rule, timeZone, 16, timeOfEnds);
  });
});
