import { readCalendars } from 'kalends/icalendar';
import { describe, expect, test } from 'vitest';
import { compileMaster } from '../../src/mirror/index.ts';

/** Starts and ends of a series by the clocks of New York. */
function occurrences(...lines: readonly string[]): readonly string[] {
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', 'UID:u', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''];
  const content = readCalendars(text.join('\r\n'))[0]?.groups[0]?.master?.content;
  const { series, endOf } = compileMaster(content!);
  const clock = (ms: number) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York', dateStyle: 'short', timeStyle: 'short' }).format(
      ms,
    );
  return series
    .occurrences({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY })
    .map((slot) => `${clock(slot.startMs)} to ${clock(endOf(slot)).slice(11)}`);
}

const newYork = (name: string, time: string) => `${name};TZID=America/New_York:${time}`;

describe('a DURATION', () => {
  test('is the length of every occurrence by the clock, on the day that the clocks change too', () => {
    expect(occurrences(newYork('DTSTART', '20260307T220000'), 'DURATION:PT8H', 'RRULE:FREQ=DAILY;COUNT=2')).toEqual([
      '2026-03-07 22:00 to 06:00',
      '2026-03-08 22:00 to 06:00',
    ]);
    expect(occurrences(newYork('DTSTART', '20261031T220000'), 'DURATION:PT8H', 'RDATE:20261101T220000')).toEqual([
      '2026-10-31 22:00 to 06:00',
      '2026-11-01 22:00 to 06:00',
    ]);
  });

  test('of a single event is elapsed time', () => {
    const lines = [newYork('DTSTART', '20260307T220000'), 'DURATION:PT8H', 'RECURRENCE-ID:20260308T030000Z'];
    const text = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:u', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
    const [exception] = readCalendars(text)[0]?.groups[0]?.exceptions ?? [];
    expect(exception?.content?.end.dateTime).toBe('2026-03-08T07:00:00-04:00');
  });
});

describe('an EXDATE with a date', () => {
  const start = newYork('DTSTART', '20260501T090000');
  const rule = 'RRULE:FREQ=DAILY;BYHOUR=9,14;COUNT=6';
  const kept = [
    '2026-05-01 09:00 to 09:30',
    '2026-05-01 14:00 to 14:30',
    '2026-05-03 09:00 to 09:30',
    '2026-05-03 14:00 to 14:30',
  ];

  test('takes out every slot of that day, those of an RDATE below it too', () => {
    const lines = [start, 'DURATION:PT30M', rule, 'EXDATE;VALUE=DATE:20260502'];
    expect(occurrences(...lines)).toEqual(kept);
    expect(occurrences(...lines, newYork('RDATE', '20260502T180000'))).toEqual(kept);
  });

  test('takes out slots in both passes of an hour, and none of the days beside it', () => {
    const lines = [newYork('DTSTART', '20261031T223000'), 'DURATION:PT10M', 'RRULE:FREQ=HOURLY;COUNT=28'];
    expect(occurrences(...lines, 'EXDATE;VALUE=DATE:20261101')).toEqual([
      '2026-10-31 22:30 to 22:40',
      '2026-10-31 23:30 to 23:40',
      '2026-11-02 00:30 to 00:40',
    ]);
  });
});
