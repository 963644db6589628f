import fc from 'fast-check';
import { compileSeries } from 'kalends/recurrence';
import { createIntlSource, createZones } from 'kalends/zones';
import { describe, expect, test } from 'vitest';
import { calendarCase, extendedTime, type RuleCase, ruleText } from '../differential/rule-shape.ts';
import { expandSlowly } from '../differential/slow-expander.ts';
import { slowInstantOf, slowWallAt } from '../zones/slow-zone.ts';
import { startsOf } from './slots.ts';

const daily = (timeZone: string, dtstart: string, limit = 3) =>
  startsOf({ dtstart, timeZone, lines: ['RRULE:FREQ=DAILY'] }, limit);

describe('a time that does not exist is read with the offset before the gap (RFC 5545 §3.3.5)', () => {
  test.each([
    [
      'New York 02:30, and 02:30 again the next day',
      'America/New_York',
      '2026-03-07T02:30:00',
      ['2026-03-07T02:30:00-05:00', '2026-03-08T03:30:00-04:00', '2026-03-09T02:30:00-04:00'],
    ],
    [
      'New York, dtstart itself in the gap: shifted once',
      'America/New_York',
      '2026-03-08T02:30:00',
      ['2026-03-08T03:30:00-04:00', '2026-03-09T02:30:00-04:00', '2026-03-10T02:30:00-04:00'],
    ],
    [
      'London 01:30',
      'Europe/London',
      '2026-03-28T01:30:00',
      ['2026-03-28T01:30:00+00:00', '2026-03-29T02:30:00+01:00', '2026-03-30T01:30:00+01:00'],
    ],
    [
      'Dublin 01:30, whose summer is its standard time',
      'Europe/Dublin',
      '2026-03-28T01:30:00',
      ['2026-03-28T01:30:00+00:00', '2026-03-29T02:30:00+01:00', '2026-03-30T01:30:00+01:00'],
    ],
    [
      'Lord Howe 02:15, a gap of half an hour',
      'Australia/Lord_Howe',
      '2026-10-03T02:15:00',
      ['2026-10-03T02:15:00+10:30', '2026-10-04T02:45:00+11:00', '2026-10-05T02:15:00+11:00'],
    ],
    [
      'Cairo midnight',
      'Africa/Cairo',
      '2026-04-23T00:00:00',
      ['2026-04-23T00:00:00+02:00', '2026-04-24T01:00:00+03:00', '2026-04-25T00:00:00+03:00'],
    ],
    [
      'Casablanca 02:30, after Ramadan 2026',
      'Africa/Casablanca',
      '2026-03-21T02:30:00',
      ['2026-03-21T02:30:00+00:00', '2026-03-22T03:30:00+01:00', '2026-03-23T02:30:00+01:00'],
    ],
    [
      'Tehran midnight in 2022, the last time',
      'Asia/Tehran',
      '2022-03-21T00:00:00',
      ['2022-03-21T00:00:00+03:30', '2022-03-22T01:00:00+04:30', '2022-03-23T00:00:00+04:30'],
    ],
    [
      'Kyiv 03:30',
      'Europe/Kyiv',
      '2026-03-28T03:30:00',
      ['2026-03-28T03:30:00+02:00', '2026-03-29T04:30:00+03:00', '2026-03-30T03:30:00+03:00'],
    ],
    [
      'Apia 2011, where 30 December folds onto the 31st',
      'Pacific/Apia',
      '2011-12-29T10:00:00',
      ['2011-12-29T10:00:00-10:00', '2011-12-31T10:00:00+14:00', '2012-01-01T10:00:00+14:00'],
    ],
    [
      'Kathmandu, which has no summer time',
      'Asia/Kathmandu',
      '2026-03-28T02:30:00',
      ['2026-03-28T02:30:00+05:45', '2026-03-29T02:30:00+05:45', '2026-03-30T02:30:00+05:45'],
    ],
  ])('%s', (_name, zone, dtstart, wanted) => {
    expect(daily(zone, dtstart)).toEqual(wanted);
  });
});

describe('a time that exists twice is its first', () => {
  test.each([
    ['America/New_York', '2026-10-31T01:30:00', ['-04:00', '-04:00', '-05:00']],
    ['Europe/Dublin', '2026-10-24T01:30:00', ['+01:00', '+01:00', '+00:00']],
    ['Australia/Lord_Howe', '2026-04-04T01:45:00', ['+11:00', '+11:00', '+10:30']],
    ['Africa/Casablanca', '2026-02-14T02:30:00', ['+01:00', '+01:00', '+00:00']],
    ['Africa/Cairo', '2026-10-29T23:30:00', ['+03:00', '+02:00', '+02:00']],
  ])('%s from %s', (zone, dtstart, offsets) => {
    expect(daily(zone, dtstart).map((start) => start.slice(19))).toEqual(offsets);
  });
});

describe('slots that a gap moves', () => {
  const lines = ['RRULE:FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,30;COUNT=12'];
  const newYork = { dtstart: '2026-03-07T02:00:00', timeZone: 'America/New_York', lines };
  const onTheDay = (gap: 'forward' | 'skip') =>
    startsOf({ ...newYork, gap }, 20)
      .filter((start) => start.startsWith('2026-03-08'))
      .map((start) => start.slice(11, 16));

  test('come in the order of their starts, each start once', () => {
    expect(onTheDay('forward')).toEqual(['03:00', '03:30']);
  });

  test('count with COUNT when shifted, and do not when skipped', () => {
    expect(startsOf(newYork, 20).at(-1)).toBe('2026-03-09T03:30:00-04:00');
    expect(onTheDay('skip')).toEqual(['03:00', '03:30']);
    expect(startsOf({ ...newYork, gap: 'skip' }, 20).at(-1)).toBe('2026-03-10T02:30:00-04:00');
  });

  test('keep their nominal time as their key', () => {
    const series = compileSeries({ ...newYork, lines: ['RRULE:FREQ=DAILY;BYHOUR=2;BYMINUTE=30'] });
    const [nominal, shifted] = [Date.UTC(2026, 2, 8, 2, 30), Date.UTC(2026, 2, 8, 3, 30)];
    const start = Date.UTC(2026, 2, 8, 7, 30);
    expect(series.slotAt(start)).toEqual({ startMs: start, wallMs: nominal });
    expect(series.keyOf(nominal)).toBe(nominal);
    expect(series.keyOf(shifted)).toBe(nominal);
    expect([series.has(nominal), series.has(shifted)]).toEqual([true, false]);
    expect(compileSeries({ ...newYork, gap: 'skip' }).has(nominal)).toBe(false);
  });

  test('a slot that folds onto another is not a slot of its own', () => {
    const series = compileSeries({ dtstart: '2011-12-29T10:00:00', timeZone: 'Pacific/Apia', lines: ['FREQ=DAILY'] });
    expect(series.has(Date.UTC(2011, 11, 30, 10))).toBe(false);
    expect(series.has(Date.UTC(2011, 11, 31, 10))).toBe(true);
  });
});

describe('FREQ=HOURLY and finer step in elapsed time', () => {
  const hours = (dtstart: string, lines: string[], limit: number) =>
    startsOf({ dtstart, timeZone: 'America/New_York', lines }, limit).map(
      (start) => start.slice(11, 19) + start.slice(19),
    );

  test('over a gap and an overlap', () => {
    expect(hours('2026-03-08T01:30:00', ['RRULE:FREQ=HOURLY'], 3)).toEqual([
      '01:30:00-05:00',
      '03:30:00-04:00',
      '04:30:00-04:00',
    ]);
    expect(hours('2026-11-01T00:30:00', ['RRULE:FREQ=HOURLY'], 4)).toEqual([
      '00:30:00-04:00',
      '01:30:00-04:00',
      '01:30:00-05:00',
      '02:30:00-05:00',
    ]);
  });

  test('while BYHOUR tests local time', () => {
    const found = hours('2026-03-07T09:00:00', ['RRULE:FREQ=HOURLY;BYHOUR=9'], 3);
    expect(found).toEqual(['09:00:00-05:00', '09:00:00-04:00', '09:00:00-04:00']);
  });
});

test('another source of zone data gives other instants', () => {
  const inner = createIntlSource();
  const zones = createZones({ ...inner, offsetAt: () => 3_600_000 });
  const series = compileSeries({
    dtstart: '2026-07-01T09:00:00',
    timeZone: 'Europe/Kyiv',
    lines: ['FREQ=DAILY'],
    zones,
  });
  expect(series.first()?.startMs).toBe(Date.UTC(2026, 6, 1, 8));
});

/** Zones and days on which their clocks change, so that most generated windows hold a gap or an overlap. */
const CHANGES: readonly (readonly [zone: string, day: string])[] = [
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Europe/Dublin', '2026-03-29'],
  ['Europe/London', '2026-10-25'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Pacific/Apia', '2011-12-30'],
  ['Africa/Casablanca', '2026-02-15'],
  ['Africa/Casablanca', '2026-03-22'],
  ['Africa/Cairo', '2026-04-24'],
  ['Africa/Cairo', '2026-10-30'],
  ['Asia/Tehran', '2022-03-22'],
  ['Europe/Kyiv', '2026-03-29'],
  ['America/St_Johns', '2006-10-29'],
  ['Asia/Pyongyang', '2015-08-15'],
  ['Asia/Pyongyang', '2018-05-05'],
];

const nearChange = fc
  .record({
    change: fc.constantFrom(...CHANGES),
    before: fc.integer({ min: 0, max: 6 }),
    quarter: fc.integer({ min: 0, max: 16 }),
    hours: fc.array(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 3 }),
    minutes: fc.array(fc.constantFrom(0, 15, 30, 45), { minLength: 1, maxLength: 2 }),
    expands: fc.boolean(),
    interval: fc.integer({ min: 1, max: 3 }),
    count: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    from: fc.integer({ min: -72, max: 24 }),
    length: fc.integer({ min: 1, max: 120 }),
  })
  .map(({ change: [zone, day], before, quarter, hours, minutes, expands, interval, count, from, length }) => {
    const midnight = Date.parse(`${day}T00:00:00Z`) / 1000;
    const shape = {
      freq: 'DAILY' as const,
      interval,
      wkst: 0,
      ...(count === undefined ? {} : { count }),
      ...(expands ? { byHour: hours, byMinute: minutes } : {}),
    };
    const start = midnight + from * 3600;
    const dtstart = midnight - before * 86_400 + quarter * 900;
    return { zone, ruleCase: { shape, dtstart, from: start, to: start + length * 3600 } };
  });

/** The oracle: every nominal slot for days around the window, resolved one by one, sorted, each start once. */
function slowStarts(zone: string, { shape, dtstart, from, to }: RuleCase): readonly number[] {
  const reach = 2 * 86_400;
  const nominal = expandSlowly(shape, dtstart, from - reach, to + reach);
  const starts = nominal.map((second) => slowInstantOf(zone, second * 1000));
  return [...new Set(starts)].filter((start) => start >= from * 1000 && start < to * 1000).sort((a, b) => a - b);
}

function agree(zone: string, ruleCase: RuleCase): void {
  const { shape, dtstart, from, to } = ruleCase;
  const series = compileSeries({ dtstart: extendedTime(dtstart), timeZone: zone, lines: [`RRULE:${ruleText(shape)}`] });
  const found = series.occurrences({ from: from * 1000, to: to * 1000 }).map((slot) => slot.startMs / 1000);
  const wanted = slowStarts(zone, ruleCase).map((ms) => ms / 1000);
  expect(found.map(extendedTime), `${zone} ${extendedTime(dtstart)} ${ruleText(shape)}`).toEqual(
    wanted.map(extendedTime),
  );
}

const HOUR = 3_600_000;

const hourlyNearChange = fc
  .record({
    change: fc.constantFrom(...CHANGES),
    before: fc.integer({ min: 0, max: 4 * 24 * 60 }),
    unit: fc.constantFrom('HOURLY' as const, 'MINUTELY' as const),
    interval: fc.integer({ min: 1, max: 9 }),
    hours: fc.option(fc.uniqueArray(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 4 }), {
      nil: undefined,
    }),
    minutes: fc.option(fc.uniqueArray(fc.constantFrom<number>(0, 10, 15, 30, 45), { minLength: 1 }), {
      nil: undefined,
    }),
    weekday: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
    from: fc.integer({ min: -30, max: 10 }),
    length: fc.integer({ min: 1, max: 60 }),
  })
  .map(({ change: [zone, day], before, unit, interval, hours, minutes, weekday, from, length }) => {
    const midnight = Date.parse(`${day}T00:00:00Z`);
    const stepMs = unit === 'HOURLY' ? interval * HOUR : interval * 5 * 60_000;
    const window = { from: midnight + from * HOUR, to: midnight + (from + length) * HOUR };
    return { zone, unit, stepMs, hours, minutes, weekday, dtstart: midnight - before * 60_000, ...window };
  });

type HourlyCase = typeof hourlyNearChange extends fc.Arbitrary<infer T> ? T : never;

const MINUTE = 60_000;

/**
 * The oracle for steps in elapsed time: every step (with BYMINUTE every minute of its window) since dtstart, its own local
 * time asked of Intl.
 */
function slowSteps(each: HourlyCase): readonly number[] {
  const { zone, unit, stepMs, hours, minutes, weekday, dtstart, from, to } = each;
  const start = slowInstantOf(zone, dtstart);
  const isWindow = unit === 'HOURLY' && minutes !== undefined;
  const first = isWindow ? start - (slowWallAt(zone, start) % HOUR) : start;
  const found: number[] = [];
  for (let step = first; step < to; step += stepMs) {
    for (let slot = step; slot < step + (isWindow ? HOUR : MINUTE); slot += MINUTE) {
      if (slot < start || slot < from || slot >= to) continue;
      const local = new Date(slowWallAt(zone, slot));
      if (hours !== undefined && !hours.includes(local.getUTCHours())) continue;
      if (minutes !== undefined && !minutes.includes(local.getUTCMinutes())) continue;
      if (weekday === undefined || (local.getUTCDay() + 6) % 7 === weekday) found.push(slot);
    }
  }
  return found;
}

describe('against a slow search over Intl', () => {
  test('in steps of elapsed time around changes of the clocks', () => {
    fc.assert(
      fc.property(hourlyNearChange, (each) => {
        const { zone, unit, stepMs, hours, minutes, weekday, dtstart, from, to } = each;
        const parts = [`FREQ=${unit}`, `INTERVAL=${unit === 'HOURLY' ? stepMs / HOUR : stepMs / 60_000}`];
        if (hours !== undefined) parts.push(`BYHOUR=${hours.join()}`);
        if (minutes !== undefined) parts.push(`BYMINUTE=${minutes.join()}`);
        if (weekday !== undefined) parts.push(`BYDAY=${['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'][weekday]}`);
        const lines = [`RRULE:${parts.join(';')}`];
        const series = compileSeries({ dtstart: extendedTime(dtstart / 1000), timeZone: zone, lines });
        const starts = series.occurrences({ from, to }).map((slot) => slot.startMs / 1000);
        const wanted = slowSteps(each).map((ms) => ms / 1000);
        expect(starts.map(extendedTime), `${zone} ${extendedTime(dtstart / 1000)} ${lines}`).toEqual(
          wanted.map(extendedTime),
        );
      }),
      { numRuns: 600 },
    );
  });

  test('around changes of the clocks', () => {
    fc.assert(
      fc.property(nearChange, ({ zone, ruleCase }) => agree(zone, ruleCase)),
      { numRuns: 400 },
    );
  });

  test('over the whole grammar', () => {
    const zone = fc.constantFrom(...CHANGES.map(([name]) => name));
    const small = calendarCase.map((each) => ({ ...each, to: Math.min(each.to, each.from + 20 * 86_400) }));
    fc.assert(
      fc.property(zone, small, (name, ruleCase) => {
        fc.pre(!ruleCase.shape.byHour && !ruleCase.shape.byMinute && !ruleCase.shape.bySecond);
        agree(name, ruleCase);
      }),
      { numRuns: 150 },
    );
  });
});

describe('the slot that an original start names', () => {
  const named = (lines: readonly string[], original: string) => {
    const series = compileSeries({ dtstart: '2026-10-31T01:30:00', timeZone: 'America/New_York', lines });
    const slot = series.slotNamed(Date.parse(original));
    return slot === undefined ? undefined : new Date(slot.startMs).toISOString().slice(5, 16);
  };
  const [first, second] = ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z'] as const;

  test.each([
    ['the first of two', ['RRULE:FREQ=HOURLY'], first, '11-01T05:30'],
    ['the second of two', ['RRULE:FREQ=HOURLY'], second, '11-01T06:30'],
    ['the second of two that are dates', ['RDATE:20261101T053000Z,20261101T063000Z'], second, '11-01T06:30'],
    ['the first alone, by the second', ['RRULE:FREQ=DAILY'], second, '11-01T05:30'],
    ['the second alone, by the first', ['RDATE:20261101T063000Z'], first, '11-01T06:30'],
    ['neither', ['RDATE:20261102T063000Z'], first, undefined],
  ] as const)('%s', (_name, lines, original, expected) => {
    expect(named(lines, original)).toBe(expected);
  });

  test('of a floating and an all-day series is the one that starts then', () => {
    for (const dtstart of ['2026-10-31T00:00:00', '2026-10-31']) {
      const series = compileSeries({ dtstart, timeZone: null, lines: ['RRULE:FREQ=DAILY'] });
      expect(series.slotNamed(Date.UTC(2026, 10, 1))?.wallMs).toBe(Date.UTC(2026, 10, 1));
      expect(series.slotNamed(Date.UTC(2026, 10, 1, 1))).toBeUndefined();
    }
  });
});
