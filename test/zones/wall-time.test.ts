import fc from 'fast-check';
import { DAY_MS, daysFromCivil, formatDate, formatOffset, formatWall, parseWall, weekdayOf } from 'kalends/zones';
import { expect, test } from 'vitest';

test.each([
  ['2026-03-01T09:00:00', Date.UTC(2026, 2, 1, 9), false],
  ['2026-03-01T09:00', Date.UTC(2026, 2, 1, 9), false],
  ['2026-03-01t09:00:00', Date.UTC(2026, 2, 1, 9), false],
  ['2026-03-01T09:00:00.5', Date.UTC(2026, 2, 1, 9, 0, 0, 500), false],
  ['2026-03-01T09:00:00.1234567', Date.UTC(2026, 2, 1, 9, 0, 0, 123), false],
  ['2026-03-01', Date.UTC(2026, 2, 1), true],
  ['2024-02-29', Date.UTC(2024, 1, 29), true],
  ['2016-12-31T23:59:60', Date.UTC(2016, 11, 31, 23, 59, 59), false],
])('%s is read', (text, wallMs, dateOnly) => {
  expect(parseWall(text)).toEqual({ wallMs, dateOnly });
});

test.each([
  '2026-02-29',
  '2026-13-01',
  '2026-00-01',
  '2026-01-00',
  '2026-1-1',
  '20260101',
  '2026-01-01T24:00:00',
  '2026-01-01T09:60:00',
  '2026-01-01T09:00:61',
  '2026-01-01T9:00',
  '2026-01-01T09:00:00Z',
  '2026-01-01T09:00:00+02:00',
  '2026-01-01T09:00:00.',
  '2026-01-01 09:00',
  '2026-01-01T',
  '',
  'tomorrow',
])('%s is no wall time', (text) => {
  expect(parseWall(text)).toBeUndefined();
});

test('what is written is read back', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), (second) => {
      const text = formatWall(second * 1000);
      expect(parseWall(text)).toEqual({ wallMs: second * 1000, dateOnly: false });
      expect(text).toBe(new Date(second * 1000).toISOString().slice(0, 19));
      expect(formatDate(second * 1000)).toBe(text.slice(0, 10));
    }),
    { numRuns: 2000 },
  );
});

test('day numbers and weekdays are those of Date', () => {
  fc.assert(
    fc.property(fc.integer({ min: -700_000, max: 2_900_000 }), (day) => {
      const date = new Date(day * DAY_MS);
      expect(daysFromCivil(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())).toBe(day);
      expect(weekdayOf(day)).toBe((date.getUTCDay() + 6) % 7);
    }),
    { numRuns: 2000 },
  );
});

test('offsets are written with sign, hours and minutes', () => {
  expect([0, 5.5, -3.5, 14, -10].map((hours) => formatOffset(hours * 3_600_000))).toEqual([
    '+00:00',
    '+05:30',
    '-03:30',
    '+14:00',
    '-10:00',
  ]);
});
