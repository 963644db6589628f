import { occurrenceId, parseOccurrenceId, recurrenceIdText } from 'kalends/recurrence';
import { expect, test } from 'vitest';

const instant = { kind: 'instant', startMs: Date.UTC(2026, 2, 1, 14) } as const;
const date = { kind: 'date', date: '2026-03-01' } as const;

test('an occurrence id ends in the recurrence id, in UTC or as a date', () => {
  expect(occurrenceId('evt', instant)).toBe('evt_20260301T140000Z');
  expect(occurrenceId('evt', date)).toBe('evt_20260301');
  expect(recurrenceIdText(date)).toBe('20260301');
});

test.each(['evt', 'a_b', 'abc_R20260101T000000', 'AAMkAD_20250101', '_', 'x__'])('%s is read back', (seriesId) => {
  for (const recurrenceId of [instant, date]) {
    expect(parseOccurrenceId(occurrenceId(seriesId, recurrenceId))).toEqual({ seriesId, recurrenceId });
  }
});

test.each([
  'evt',
  'evt_',
  '_20260301',
  'evt_20260231',
  'evt_20260301T140000',
  'evt_20260301T250000Z',
  'evt_2026030',
  '',
])('"%s" is no occurrence id', (id) => {
  expect(parseOccurrenceId(id)).toBeUndefined();
});
