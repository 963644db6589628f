import fc from 'fast-check';
import { compileSeries, parseRecurrence, RecurrenceError } from 'kalends/recurrence';
import { describe, expect, test } from 'vitest';
import { compare, SEED } from '../differential/cases.ts';
import { sizeOf } from '../size-of.ts';
import { hostileRule, NAMED } from './hostile-rule-source.js';

// That each of these takes under 50 ms is measured by `npm run bench -- hostile`; here they only have to end.

const YEAR_MS = 366 * 86_400_000;
const RULES = sizeOf('rules', { short: 500, long: 10_000 });

/** Everything a caller may ask about one year, and about the ends, on a series that was never used. */
function ask(rule: string, timeZone: string | null, yearsLater: number): void {
  const from = Date.UTC(2010 + yearsLater, 0, 1);
  try {
    const series = compileSeries({ dtstart: '2010-01-04T09:00:00', timeZone, lines: [`RRULE:${rule}`] });
    const found = series.occurrences({ from, to: from + YEAR_MS });
    expect(found.length).toBeLessThanOrEqual(50_000);
    expect(found.every(({ startMs }) => startMs >= from && startMs < from + YEAR_MS)).toBe(true);
    expect(series.occurrences({ from, to: Number.POSITIVE_INFINITY, limit: 1 }).length).toBeLessThanOrEqual(1);
    const first = series.first();
    const last = series.last();
    if (first !== undefined && last) expect(last.startMs).toBeGreaterThanOrEqual(first.startMs);
    series.has(from);
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
  }
}

describe('no rule of under 200 characters hangs or grows without bound', () => {
  test.each(NAMED)('%s', (rule) => {
    for (const timeZone of ['America/New_York', 'Africa/Casablanca', null]) {
      for (const later of [0, 16]) ask(rule, timeZone, later);
    }
  });

  test(`${RULES} rules made to be slow`, { timeout: 900_000 }, () => {
    const zone = fc.constantFrom('America/New_York', 'Africa/Casablanca', null);
    const question = fc.tuple(hostileRule, zone, fc.constantFrom(0, 1, 16));
    compare('hostile rules', question, RULES, ([rule, timeZone, later]) => ask(rule, timeZone, later));
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
        fc.integer({ min: -400, max: 400 }).map(String),
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
