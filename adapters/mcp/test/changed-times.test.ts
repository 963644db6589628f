import type { CalendarEvent } from 'kalends/model';
import { expect, it } from 'vitest';
import { readChangedTimes } from '../src/tools/changed-times.ts';
import { asInSeries } from '../src/tools/series-outlook.ts';

const at = (dateTime: string) => ({ dateTime, timeZone: 'America/New_York' });
/** An hour from half past one, which ends on its first day at a time that the clocks skip. */
const SERIES = {
  isAllDay: false,
  start: at('2026-03-08T01:30:00-05:00'),
  end: at('2026-03-08T02:30:00-05:00'),
  recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
} as unknown as CalendarEvent;

it('a series that ends where the clocks skip keeps its length at a new start', () => {
  const body = (event: CalendarEvent, start: string) => readChangedTimes(event, { start })?.body;
  expect(body(SERIES, '2026-03-08T00:30')).toEqual({
    start: at('2026-03-08T00:30:00'),
    end: at('2026-03-08T01:30:00'),
  });
  const slot = { ...SERIES, originalStart: at('2026-03-10T01:30:00-04:00') };
  const second = asInSeries(SERIES, slot);
  expect(second).toMatchObject({ start: slot.originalStart, end: at('2026-03-10T02:30:00-04:00') });
  expect(body(second, '2026-03-10T09:00')).toEqual({
    start: at('2026-03-10T09:00:00'),
    end: at('2026-03-10T10:00:00'),
  });
});

it('a series is refused a start from which it would end where the clocks skip, as all would be longer', () => {
  const nine = { ...SERIES, start: at('2026-03-08T09:00:00-04:00'), end: at('2026-03-08T10:00:00-04:00') };
  for (const series of [nine, SERIES]) {
    expect(() => readChangedTimes(series, { start: '2026-03-08T01:00' })).toThrow('end: would be 2026-03-08T02:00:00');
    const given = readChangedTimes(series, { start: '2026-03-08T01:00', end: '2026-03-08T01:45' });
    expect(given?.body.end).toEqual(at('2026-03-08T01:45:00'));
    const single = { ...series, recurrence: null };
    expect(readChangedTimes(single, { start: '2026-03-08T01:00' })?.body.end).toEqual(at('2026-03-08T03:00:00'));
  }
});
