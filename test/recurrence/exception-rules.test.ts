import fc from 'fast-check';
import { compileSeries, type Occurrence, RecurrenceLimit, type SeriesDefinition } from 'kalends/recurrence';
import { describe, expect, test } from 'vitest';
import { calendarCase, extendedTime, type RuleCase, ruleText, subDailyCase } from '../differential/rule-shape.ts';

const FOREVER = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
const ZONES = ['America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', null] as const;
const DAY_MS = 86_400_000;

const startsIn = (slots: readonly Occurrence[]): string => slots.map(({ startMs }) => startMs).join();
const alone = (definition: SeriesDefinition, rule: string) =>
  compileSeries({ ...definition, lines: [`RRULE:${rule}`] });

/** The definition of EXRULE: what its rule has, expanded whole, is taken out one by one. */
function slowDifference(
  definition: SeriesDefinition,
  rules: readonly string[],
  exceptions: readonly string[],
  window: { from: number; to: number },
) {
  const whole = { ...window, limit: Number.POSITIVE_INFINITY };
  const removed = new Set(
    exceptions.flatMap((rule) => alone(definition, rule).occurrences(whole)).map(({ startMs }) => startMs),
  );
  const kept = rules.flatMap((rule) => alone(definition, rule).occurrences(whole)).map(({ startMs }) => startMs);
  return [...new Set(kept)].filter((startMs) => !removed.has(startMs)).sort((a, b) => a - b);
}

/** A rule that shares its dtstart with others, and a window in which its expansion is small. */
const anyRule = fc.oneof({ weight: 2, arbitrary: calendarCase }, subDailyCase);
const several = fc
  .record({
    base: anyRule,
    rules: fc.array(anyRule, { maxLength: 1 }),
    exceptions: fc.array(anyRule, { minLength: 1, maxLength: 3 }),
    // The rule itself, every second or a part of the rule, so that something is removed most times.
    near: fc.constantFrom('same', 'interval', 'seconds', 'none'),
    timeZone: fc.constantFrom(...ZONES),
    gap: fc.constantFrom('forward' as const, 'skip' as const),
  })
  .map(({ base, rules, exceptions, near, timeZone, gap }) => {
    const text = ({ shape }: RuleCase) => ruleText(shape);
    const { count: _, until: __, ...endless } = base.shape;
    const extra = {
      same: [ruleText({ ...endless, count: 7 })],
      interval: [ruleText({ ...endless, interval: endless.interval * 2 })],
      seconds: ['FREQ=SECONDLY;INTERVAL=900'],
      none: [],
    }[near];
    const texts = [text(base), ...rules.map(text), ...exceptions.map(text), ...extra].join(' ');
    // The oracle expands every rule whole.
    const days = texts.includes('SECONDLY') ? 0.3 : texts.includes('MINUTELY') ? 3 : 40;
    return {
      definition: { dtstart: extendedTime(base.dtstart), timeZone, lines: [], gap },
      rules: [text(base), ...rules.map(text)],
      exceptions: [...exceptions.map(text), ...extra],
      window: { from: base.from * 1000, to: base.from * 1000 + days * DAY_MS },
    };
  });

describe('EXRULE', () => {
  test('takes away what its rule has, whatever kinds both are of', () => {
    let removed = 0;
    fc.assert(
      fc.property(several, ({ definition, rules, exceptions, window }) => {
        const lines = [...rules.map((rule) => `RRULE:${rule}`), ...exceptions.map((rule) => `EXRULE:${rule}`)];
        const series = compileSeries({ ...definition, lines });
        const wanted = slowDifference(definition, rules, exceptions, window);
        const label = `${definition.dtstart} ${definition.timeZone} ${definition.gap} ${lines.join(' ')}`;
        const found = series.occurrences({ ...window, limit: Number.POSITIVE_INFINITY });
        expect(startsIn(found), label).toBe(wanted.join());
        if (wanted.length < slowDifference(definition, rules, [], window).length) removed++;
        for (const limit of [1, 2, 5]) {
          expect(startsIn(series.occurrences({ ...window, limit })), label).toBe(wanted.slice(0, limit).join());
        }
        for (const startMs of wanted.slice(0, 5)) expect(series.slotAt(startMs)?.startMs, label).toBe(startMs);
      }),
      { numRuns: 200 },
    );
    expect(removed).toBeGreaterThan(20);
  });

  test.each([
    ['BYSETPOS of a dense period', 'FREQ=DAILY', 'FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=0,9;BYSETPOS=2,-1'],
    ['COUNT', 'FREQ=DAILY', 'FREQ=DAILY;INTERVAL=2;COUNT=100'],
    ['UNTIL', 'FREQ=DAILY', 'FREQ=HOURLY;UNTIL=20260301T000000Z'],
    ['a slot that a gap shifts', 'FREQ=HOURLY', 'FREQ=DAILY;BYHOUR=2;BYMINUTE=0'],
    ['BYWEEKNO', 'FREQ=DAILY', 'FREQ=WEEKLY;BYWEEKNO=2,10,-1'],
  ])('%s', (_name, rule, exception) => {
    const definition = { dtstart: '2026-01-05T09:00:00', timeZone: 'America/New_York', lines: [] };
    const window = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2028, 0, 1) };
    const lines = [`RRULE:${rule}`, `EXRULE:${exception}`];
    const found = compileSeries({ ...definition, lines })
      .occurrences(window)
      .map(({ startMs }) => startMs);
    expect(found).toEqual(slowDifference(definition, [rule], [exception], window));
    expect(found.length).toBeLessThan(slowDifference(definition, [rule], [], window).length);
  });

  test('decides on the first and the last', () => {
    const ends = (...lines: string[]) => {
      const series = compileSeries({ dtstart: '2026-01-05T09:00:00', timeZone: null, lines });
      return [series.first(), series.last()].map((slot) => slot && new Date(slot.startMs).toISOString().slice(0, 10));
    };
    expect(ends('RRULE:FREQ=DAILY;COUNT=30', 'EXRULE:FREQ=DAILY;COUNT=3')).toEqual(['2026-01-08', '2026-02-03']);
    expect(ends('RRULE:FREQ=DAILY;COUNT=30', 'EXRULE:FREQ=DAILY;BYMONTH=2')).toEqual(['2026-01-05', '2026-01-31']);
    expect(ends('RRULE:FREQ=DAILY;COUNT=30', 'EXRULE:FREQ=SECONDLY')).toEqual([undefined, undefined]);
    expect(ends('RRULE:FREQ=DAILY;COUNT=3', 'EXRULE:FREQ=SECONDLY', 'RDATE:20260201T090000')).toEqual([
      undefined,
      undefined,
    ]);
    expect(ends('RRULE:FREQ=SECONDLY', 'EXRULE:FREQ=SECONDLY;BYDAY=MO,TU,WE,TH,FR,SA')[0]).toBe('2026-01-11');
  });

  test('that removes everything from a rule without an end is refused, not walked for ever', () => {
    const series = compileSeries({
      dtstart: '2026-01-05T09:00:00',
      timeZone: null,
      lines: ['RRULE:FREQ=SECONDLY', 'EXRULE:FREQ=SECONDLY'],
    });
    expect(() => series.first()).toThrow(RecurrenceLimit);
    expect(() => series.first()).toThrow(expect.objectContaining({ part: 'EXRULE' }));
    const from = Date.UTC(2026, 0, 6);
    expect(series.occurrences({ from, to: from + DAY_MS })).toEqual([]);
    expect(series.has(from)).toBe(false);
  });
});

describe('several sources', () => {
  test('are merged in order, each start once, however long their pages', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 900 })), {
          minLength: 2,
          maxLength: 6,
        }),
        (sources) => {
          const rules = sources.map(([interval, count]) => `FREQ=HOURLY;INTERVAL=${interval};COUNT=${count}`);
          const definition = { dtstart: '2026-01-05T09:00:00', timeZone: null, lines: [] };
          const wanted = slowDifference(definition, rules, [], FOREVER);
          const series = compileSeries({ ...definition, lines: rules.map((rule) => `RRULE:${rule}`) });
          expect(startsIn(series.occurrences(FOREVER))).toBe(wanted.join());
          expect(startsIn([...series.iterate(FOREVER)])).toBe(wanted.join());
          expect(series.last()?.startMs).toBe(wanted.at(-1));
        },
      ),
      { numRuns: 60 },
    );
  });
});
