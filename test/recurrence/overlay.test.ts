import fc from 'fast-check';
import { allDayWallOf, compileSeries, overlay, type SeriesException } from 'kalends/recurrence';
import { offsetAt } from 'kalends/zones';
import { describe, expect, test } from 'vitest';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const series = compileSeries({
  dtstart: '2026-03-01T09:00:00',
  timeZone: 'America/New_York',
  lines: ['RRULE:FREQ=DAILY;COUNT=30'],
});
const utc = (day: number, hour: number) => Date.UTC(2026, 2, day, hour);
const wall = (day: number) => Date.UTC(2026, 2, day, 9);

function read(from: number, to: number, exceptions: readonly SeriesException[], includeCancelled = false) {
  const slots = series.occurrences({ from, to });
  return overlay({ slots, exceptions, from, to, endOf: (slot) => slot.startMs + HOUR, includeCancelled });
}

function moved(day: number, startMs: number, cancelled = false): SeriesException {
  return { wallMs: wall(day), startMs, endMs: startMs + HOUR, cancelled };
}

const days = (slots: readonly { readonly wallMs: number }[]) => slots.map((slot) => new Date(slot.wallMs).getUTCDate());

describe('overlay', () => {
  const [from, to] = [utc(3, 0), utc(6, 0)];

  test('without exceptions is the rule', () => {
    expect(read(from, to, [])).toEqual(
      [3, 4, 5].map((day) => ({
        wallMs: wall(day),
        startMs: utc(day, 14),
        endMs: utc(day, 15),
        exception: undefined,
      })),
    );
  });

  test('an occurrence moved within the window stands where it was moved to, and keeps its original start', () => {
    const exception = moved(3, utc(5, 10));
    expect(days(read(from, to, [exception]))).toEqual([4, 3, 5]);
    expect(read(from, to, [exception])[1]).toEqual({ ...exception, cancelled: undefined, exception });
  });

  test('an occurrence moved out of the window is gone, one moved into it is there', () => {
    expect(days(read(from, to, [moved(4, utc(20, 14)), moved(25, utc(4, 14))]))).toEqual([3, 25, 5]);
  });

  test('a cancelled one is left out unless it is asked for', () => {
    const cancelled = moved(4, utc(4, 14), true);
    expect(days(read(from, to, [cancelled]))).toEqual([3, 5]);
    expect(days(read(from, to, [cancelled], true))).toEqual([3, 4, 5]);
  });

  test('an exception whose slot the rule does not produce still stands', () => {
    const orphan = { wallMs: Date.UTC(2026, 2, 4, 13), startMs: utc(4, 18), endMs: utc(4, 19), cancelled: false };
    expect(read(from, to, [orphan]).map((slot) => slot.startMs)).toEqual([
      utc(3, 14),
      utc(4, 14),
      utc(4, 18),
      utc(5, 14),
    ]);
  });

  test('the last of two exceptions for one slot counts', () => {
    expect(read(from, to, [moved(4, utc(4, 20)), moved(4, utc(4, 21))]).map((slot) => slot.startMs)).toContain(
      utc(4, 21),
    );
    expect(read(from, to, [moved(4, utc(4, 20)), moved(4, utc(4, 21))])).toHaveLength(3);
  });

  test('two occurrences may start at the same time', () => {
    expect(days(read(from, to, [moved(5, utc(4, 14))]))).toEqual([3, 4, 5]);
  });

  test('every occurrence appears in exactly one of adjacent windows, wherever exceptions moved it', () => {
    const exception = fc
      .tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: -10 * 24, max: 40 * 24 }), fc.boolean())
      .map(([day, hours, cancelled]) => moved(day, utc(1, 0) + hours * HOUR, cancelled));
    const cut = fc.integer({ min: 0, max: 40 * 24 }).map((hours) => utc(1, 0) + hours * HOUR);
    fc.assert(
      fc.property(fc.array(exception, { maxLength: 12 }), cut, (exceptions, middle) => {
        const [start, end] = [utc(1, 0) - 20 * DAY, utc(1, 0) + 60 * DAY];
        const halves = [...read(start, middle, exceptions, true), ...read(middle, end, exceptions, true)];
        expect(halves).toEqual(read(start, end, exceptions, true));
        expect(new Set(days(halves)).size).toBe(30);
        expect(halves).toHaveLength(30);
      }),
      { numRuns: 300 },
    );
  });

  test('of the two slots of an hour that the clocks repeat each has its own exception', () => {
    const lines = ['RDATE:20261101T063000Z'];
    const hour = compileSeries({ dtstart: '2026-11-01T01:30:00', timeZone: 'America/New_York', lines });
    const [first, second] = hour.occurrences({ from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 10, 2) });
    expect([first?.wallMs, second!.startMs - first!.startMs]).toEqual([second?.wallMs, HOUR]);
    const cancelled = (slot: typeof first) => {
      const { wallMs, startMs } = slot!;
      return { wallMs, slotMs: startMs, startMs, endMs: startMs + HOUR, cancelled: true };
    };
    const left = (exceptions: readonly SeriesException[]) =>
      overlay({
        slots: [first!, second!],
        exceptions,
        from: Date.UTC(2026, 10, 1),
        to: Date.UTC(2026, 10, 2),
        endOf: ({ startMs }) => startMs + HOUR,
      }).map(({ startMs }) => startMs);
    expect(left([cancelled(first)])).toEqual([second?.startMs]);
    expect(left([cancelled(second)])).toEqual([first?.startMs]);
    expect(left([cancelled(first), cancelled(second)])).toEqual([]);
  });

  test('a slot that a gap shifted is found by its nominal time', () => {
    const night = compileSeries({
      dtstart: '2026-03-07T02:30:00',
      timeZone: 'America/New_York',
      lines: ['FREQ=DAILY'],
    });
    const window = { from: utc(8, 0), to: utc(9, 0) };
    const key = night.keyOf(Date.UTC(2026, 2, 8, 3, 30))!;
    const exception = { wallMs: key, startMs: utc(8, 20), endMs: utc(8, 21), cancelled: false };
    const found = overlay({
      ...window,
      slots: night.occurrences(window),
      exceptions: [exception],
      endOf: (slot) => slot.startMs,
    });
    expect(found.map((slot) => slot.startMs)).toEqual([utc(8, 20)]);
  });
});

describe('allDayWallOf', () => {
  test.each([
    ['America/Denver', '2026-03-02T07:00:00Z', '2026-03-02'],
    ['Europe/Berlin', '2026-03-01T23:00:00Z', '2026-03-02'],
    ['Pacific/Kiritimati', '2026-03-01T10:00:00Z', '2026-03-02'],
    ['UTC', '2026-03-02T00:00:00Z', '2026-03-02'],
  ])('in %s, %s is %s', (zone, instant, date) => {
    const ms = Date.parse(instant);
    expect(allDayWallOf(ms, offsetAt(zone, ms))).toBe(Date.parse(`${date}T00:00:00Z`));
  });
});
