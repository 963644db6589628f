import fc from 'fast-check';
import { compileSeries, type Occurrence, type Series, splitSeries } from 'kalends/recurrence';
import { describe, expect, test } from 'vitest';
import {
  basicTime,
  calendarCase,
  extendedTime,
  type RuleCase,
  ruleText,
  subDailyCase,
} from '../differential/rule-shape.ts';

const ZONES = ['America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'Pacific/Apia', null] as const;
const FOREVER = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

interface SeriesCase {
  readonly definition: {
    readonly dtstart: string;
    readonly timeZone: string | null;
    readonly lines: readonly string[];
    readonly gap: 'forward' | 'skip';
  };
  readonly from: number;
  readonly to: number;
}

function seriesCase(ruleCase: fc.Arbitrary<RuleCase>, gaps: readonly ('forward' | 'skip')[]): fc.Arbitrary<SeriesCase> {
  return fc
    .record({
      ruleCase,
      timeZone: fc.constantFrom(...ZONES),
      gap: fc.constantFrom(...gaps),
      allDay: fc.boolean(),
      dates: fc.array(fc.tuple(fc.boolean(), fc.boolean(), fc.integer({ min: 0, max: 700 })), { maxLength: 4 }),
    })
    .map(({ ruleCase: { shape, dtstart, from, to }, timeZone, gap, allDay, dates }) => {
      const isAllDay = allDay && ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'].includes(shape.freq);
      const extra = dates.map(([adds, isDay, days]) => {
        const text = basicTime(dtstart + days * 86_400);
        return `${adds ? 'RDATE' : 'EXDATE'}${isDay || (isAllDay && adds) ? `;VALUE=DATE:${text.slice(0, 8)}` : `:${text}`}`;
      });
      const lines = [`RRULE:${ruleText(shape)}`, ...extra];
      const start = extendedTime(dtstart);
      return {
        definition: {
          dtstart: isAllDay ? start.slice(0, 10) : start,
          timeZone: isAllDay ? null : timeZone,
          lines,
          gap,
        },
        from: from * 1000,
        to: Math.min(to, from + 400 * 86_400) * 1000,
      };
    });
}

const calendarSeries = seriesCase(calendarCase, ['forward', 'skip']);
const anySeries = fc.oneof({ weight: 3, arbitrary: calendarSeries }, seriesCase(subDailyCase, ['forward']));

function holds(
  arbitrary: fc.Arbitrary<SeriesCase>,
  runs: number,
  check: (series: Series, each: SeriesCase) => void,
): void {
  fc.assert(
    fc.property(arbitrary, (each) => check(compileSeries(each.definition), each)),
    { numRuns: runs },
  );
}

const startsIn = (slots: readonly Occurrence[]): string => slots.map((slot) => slot.startMs).join();

describe('a window', () => {
  test('gives the same as the two halves that it is cut into', () => {
    holds(anySeries, 600, (series, { from, to }) => {
      const middle = from + Math.floor((to - from) / 3);
      const halves = [...series.occurrences({ from, to: middle }), ...series.occurrences({ from: middle, to })];
      expect(startsIn(halves)).toBe(startsIn(series.occurrences({ from, to })));
    });
  });

  test('loses nothing when it is shifted by a second', () => {
    holds(anySeries, 300, (series, { from, to }) => {
      const whole = series.occurrences({ from, to });
      const shifted = series.occurrences({ from: from + 1000, to: to + 1000 });
      expect(startsIn(shifted.filter((slot) => slot.startMs < to))).toBe(
        startsIn(whole.filter((slot) => slot.startMs >= from + 1000)),
      );
    });
  });

  test('with a limit is a prefix of the whole', () => {
    holds(anySeries, 600, (series, { from, to }) => {
      const whole = series.occurrences({ from, to });
      for (const limit of [0, 1, 2, 3, 7, whole.length, whole.length + 1]) {
        expect(startsIn(series.occurrences({ from, to, limit }))).toBe(startsIn(whole.slice(0, limit)));
      }
    });
  });

  test('strictly increases and stays inside its bounds', () => {
    holds(anySeries, 300, (series, { from, to }) => {
      let last = from - 1;
      for (const { startMs } of series.occurrences({ from, to })) {
        expect(startMs).toBeGreaterThan(last);
        expect(startMs).toBeLessThan(to);
        last = startMs;
      }
    });
  });

  test('can be read one by one', () => {
    holds(anySeries, 200, (series, { from, to }) => {
      expect(startsIn([...series.iterate({ from, to })])).toBe(startsIn(series.occurrences({ from, to })));
    });
  });

  test('gives the same when it is asked again', () => {
    holds(anySeries, 200, (series, { definition, from, to }) => {
      const once = startsIn(series.occurrences({ from, to }));
      series.occurrences({ from: to, to: to + 86_400_000 });
      expect(startsIn(series.occurrences({ from, to }))).toBe(once);
      expect(startsIn(compileSeries(definition).occurrences({ from, to }))).toBe(once);
    });
  });
});

describe('a slot', () => {
  test('is found by its start and by its key', () => {
    holds(calendarSeries, 300, (series, { from, to }) => {
      for (const slot of series.occurrences({ from, to, limit: 20 })) {
        expect(series.slotAt(slot.startMs)).toEqual(slot);
        expect(series.keyOf(slot.wallMs)).toBe(slot.wallMs);
        expect(series.has(slot.wallMs)).toBe(true);
        expect(series.has(slot.wallMs + 1000)).toBe(series.slotAt(slot.startMs + 1000) !== undefined);
      }
    });
  });

  test('is the first or last of its series where nothing lies before or after it', () => {
    holds(anySeries, 300, (series) => {
      const [first] = series.occurrences({ ...FOREVER, limit: 1 });
      expect(series.first()).toEqual(first);
      const last = series.last();
      expect(last === null).toBe(!series.isFinite);
      if (last === null) return;
      if (first === undefined) expect(last).toBeUndefined();
      else expect(startsIn(series.occurrences({ from: last!.startMs, to: FOREVER.to }))).toBe(String(last!.startMs));
    });
  });
});

describe('COUNT', () => {
  test('is the first slots of the rule without it, however they are asked for', () => {
    const zone = fc.constantFrom('America/New_York', 'Australia/Lord_Howe', null);
    const ruleCase = fc.oneof(calendarCase, subDailyCase);
    let reached = 0;
    fc.assert(
      fc.property(ruleCase, zone, fc.integer({ min: 1, max: 3000 }), ({ shape, dtstart }, timeZone, count) => {
        const { count: _count, until: _until, ...rest } = shape;
        const isSubDaily = ['HOURLY', 'MINUTELY', 'SECONDLY'].includes(shape.freq);
        const base = { dtstart: extendedTime(dtstart), timeZone: isSubDaily ? timeZone : null };
        const endless = compileSeries({ ...base, lines: [`RRULE:${ruleText(rest)}`] });
        // Ten years keep the rare rules short.
        const to = (dtstart + 3660 * 86_400) * 1000;
        const wanted = endless.occurrences({ from: dtstart * 1000 - 86_400_000, to, limit: count });
        if (wanted.length === count) reached++;
        const lines = [`RRULE:${ruleText({ ...rest, count })}`];
        const tail = wanted[Math.floor((wanted.length * 9) / 10)];
        if (tail !== undefined) {
          const found = compileSeries({ ...base, lines }).occurrences({ from: tail.startMs, to });
          expect(startsIn(found), lines[0]).toBe(startsIn(wanted.filter((slot) => slot.startMs >= tail.startMs)));
        }
        if (wanted.length === count) expect(compileSeries({ ...base, lines }).last()).toEqual(wanted.at(-1));
      }),
      { numRuns: 1000 },
    );
    expect(reached).toBeGreaterThan(100);
  });
});

describe('a series that is split', () => {
  test('is its two halves put together', () => {
    let splits = 0;
    holds(calendarSeries, 600, (series, { definition, from, to }) => {
      const whole = series.occurrences({ ...FOREVER, to, limit: 120 });
      const slot = whole[Math.floor(whole.length / 2)];
      if (slot === undefined || slot.startMs < from - 400 * 86_400_000) return;
      splits++;
      const { before, after } = splitSeries(definition, slot);
      const read = (lines: { dtstart: string; lines: readonly string[] } | undefined) =>
        lines === undefined
          ? []
          : compileSeries({ ...definition, ...lines }).occurrences({ ...FOREVER, to, limit: 400 });
      expect(startsIn([...read(before), ...read(after)].slice(0, 120))).toBe(startsIn(whole));
      expect(startsIn(read(before))).toBe(startsIn(whole.filter((each) => each.startMs < slot.startMs)));
    });
    expect(splits).toBeGreaterThan(100);
  });
});
