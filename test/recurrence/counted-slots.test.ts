import fc from 'fast-check';
import { compileSeries } from 'kalends/recurrence';
import { instantOf } from 'kalends/zones';
import { describe, expect, test } from 'vitest';
import { calendarCase, extendedTime, type RuleShape, ruleText } from '../differential/rule-shape.ts';
import { expandSlowly } from '../differential/slow-expander.ts';
import { slowWallAt } from '../zones/slow-zone.ts';

const FOREVER = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
const DAY = 86_400;

/** Zones and days with a gap, and the hours around it. */
const GAPS: readonly (readonly [zone: string, day: string])[] = [
  ['America/New_York', '2026-03-08'],
  ['Europe/Dublin', '2026-03-29'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Pacific/Apia', '2011-12-30'],
  ['Africa/Casablanca', '2026-03-22'],
  ['Africa/Cairo', '2026-04-24'],
];

const skipped = fc
  .record({
    gap: fc.constantFrom(...GAPS),
    freq: fc.constantFrom(
      'DAILY' as const,
      'DAILY' as const,
      'DAILY' as const,
      'WEEKLY' as const,
      'MONTHLY' as const,
      'YEARLY' as const,
    ),
    before: fc.integer({ min: 0, max: 5 }),
    quarter: fc.integer({ min: 0, max: 14 }),
    interval: fc.constantFrom(1, 1, 2, 3),
    byHour: fc.option(fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 }), {
      nil: undefined,
    }),
    byMinute: fc.option(fc.uniqueArray(fc.constantFrom(0, 15, 30), { minLength: 1, maxLength: 2 }), { nil: undefined }),
    byDay: fc.option(fc.constant([0, 1, 2, 3, 4, 5, 6].map((day) => [0, day] as const)), { nil: undefined }),
    bySetPos: fc.option(fc.constantFrom([1], [-1], [2, -2], [1, 3, 5, 7, -1]), { nil: undefined }),
    count: fc.integer({ min: 1, max: 16 }),
  })
  .map(({ gap: [zone, day], before, quarter, count, ...parts }) => {
    const given = Object.entries(parts).filter(([, value]) => value !== undefined);
    const shape = { wkst: 0, ...Object.fromEntries(given) } as unknown as RuleShape;
    return { zone, shape, count, dtstart: Date.parse(`${day}T00:00:00Z`) / 1000 - before * DAY + quarter * 900 };
  });

const exists = (zone: string, wall: number): boolean => slowWallAt(zone, instantOf(zone, wall * 1000)) === wall * 1000;

describe("COUNT with gap 'skip'", () => {
  test('counts the slots that exist, as walking from slot to slot does', () => {
    let skips = 0;
    fc.assert(
      fc.property(skipped, fc.integer({ min: 0, max: 16 }), ({ zone, shape, count, dtstart }, place) => {
        // Fewer than half of the slots are in gaps.
        const reach =
          (2 * count + 1) * shape.interval * { YEARLY: 366, MONTHLY: 31, WEEKLY: 7, DAILY: 1 }[shape.freq as 'DAILY'];
        const nominal = expandSlowly(shape, dtstart, dtstart, dtstart + reach * DAY);
        const wanted = nominal.filter((wall) => exists(zone, wall)).slice(0, count);
        if (wanted.length > 0 && nominal[wanted.length - 1] !== wanted.at(-1)) skips++;
        const rule = ruleText({ ...shape, count });
        const definition = {
          dtstart: extendedTime(dtstart),
          timeZone: zone,
          lines: [`RRULE:${rule}`],
          gap: 'skip',
        } as const;
        const walls = (from: number, limit = 100) =>
          compileSeries(definition)
            .occurrences({ ...FOREVER, from, limit })
            .map(({ wallMs }) => extendedTime(wallMs / 1000));
        expect(walls(FOREVER.from), `${zone} ${definition.dtstart} ${rule}`).toEqual(wanted.map(extendedTime));
        const middle = wanted[place];
        if (middle !== undefined) {
          const from = instantOf(zone, middle * 1000);
          expect(walls(from)).toEqual(wanted.slice(place).map(extendedTime));
          expect(walls(from, 2)).toEqual(wanted.slice(place, place + 2).map(extendedTime));
        }
        const last = compileSeries(definition).last();
        expect(last?.wallMs).toBe(wanted.length === 0 ? undefined : wanted.at(-1)! * 1000);
      }),
      { numRuns: 150 },
    );
    expect(skips).toBeGreaterThan(5);
  });

  test('of which every one falls into a gap has no slot', () => {
    const series = compileSeries({
      dtstart: '2010-03-14T02:30:00',
      timeZone: 'America/New_York',
      lines: ['RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU;COUNT=500'],
      gap: 'skip',
    });
    expect([series.first(), series.last()]).toEqual([undefined, undefined]);
  });

  test('ends with the year 9999 when it is not used up by then', () => {
    const last = (rule: string) =>
      compileSeries({
        dtstart: '2026-01-01T02:30:00',
        timeZone: 'America/New_York',
        lines: [`RRULE:${rule};COUNT=1000000000`],
        gap: 'skip',
      }).last()?.wallMs;
    expect(last('FREQ=DAILY')).toBe(Date.UTC(9999, 11, 31, 2, 30));
    expect(last('FREQ=DAILY;BYDAY=SU')).toBe(Date.UTC(9999, 11, 26, 2, 30));
  });
});

describe('the last of many slots', () => {
  test('is the one that counting year by year finds', () => {
    const day = Date.UTC(2026, 0, 1);
    const hours = [...Array(24).keys()].join();
    const sixties = [...Array(60).keys()].join();
    const lastOf = (rule: string) =>
      compileSeries({ dtstart: '2026-01-01T00:00:00', timeZone: null, lines: [`RRULE:${rule}`] }).last()?.wallMs;
    // Every second of every day: the slots are the seconds since dtstart.
    expect(lastOf(`FREQ=DAILY;BYHOUR=${hours};BYMINUTE=${sixties};BYSECOND=${sixties};COUNT=1000000000`)).toBe(
      day + 999_999_999_000,
    );
    // One day in seven: the 146,097 days of 400 years have 20,871 Thursdays.
    expect(lastOf('FREQ=DAILY;BYDAY=TH;COUNT=20872')).toBe(day + 146_097 * 86_400_000);
    expect(lastOf('FREQ=MONTHLY;BYDAY=TH;BYSETPOS=1;COUNT=4801')).toBe(day + 146_097 * 86_400_000);
    expect(lastOf('FREQ=WEEKLY;BYDAY=TH,FR;BYSETPOS=-1,1;COUNT=41744')).toBe(day + (146_097 + 1) * 86_400_000);
    expect(lastOf('FREQ=YEARLY;BYYEARDAY=1,-1;COUNT=801')).toBe(day + 146_097 * 86_400_000);
  });

  test('does not depend on what was asked before', () => {
    fc.assert(
      fc.property(
        calendarCase,
        fc.integer({ min: 1, max: 400 }),
        fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 4 }),
        ({ shape: { count: _, ...shape }, dtstart }, count, days) => {
          const lines = [`RRULE:${ruleText({ ...shape, count })}`];
          const definition = { dtstart: extendedTime(dtstart), timeZone: null, lines };
          const used = compileSeries(definition);
          for (const day of days) {
            const from = (dtstart + day * DAY) * 1000;
            const fresh = compileSeries(definition).occurrences({ ...FOREVER, from, limit: 20 });
            expect(used.occurrences({ ...FOREVER, from, limit: 20 }), lines[0]).toEqual(fresh);
          }
          const whole = compileSeries(definition).occurrences({ ...FOREVER, limit: 500 });
          expect(used.last(), lines[0]).toEqual(whole.at(-1));
          if (shape.until === undefined && whole.length > 0) expect(whole.length).toBeLessThanOrEqual(count);
        },
      ),
      { numRuns: 400 },
    );
  });
});
