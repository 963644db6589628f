import { compileSeries } from 'kalends/recurrence';
import { formatInstant } from 'kalends/zones';
import { describe, expect, test } from 'vitest';
import { DATE_EXAMPLES } from './date-examples.js';
import { writtenDates } from './written-dates.js';

/*
 * Every example of RFC 5545 §3.8.5.3, in America/New_York and at 09:00 unless its times say otherwise. An example that
 * goes on for ever is checked as far as the RFC writes it out.
 */

const ZONE = 'America/New_York';

function starts(dtstart: string, lines: readonly string[], limit: number): readonly string[] {
  const series = compileSeries({ dtstart, timeZone: ZONE, lines });
  const found = series.occurrences({ from: 0, to: Number.POSITIVE_INFINITY, limit });
  return found.map((slot) => formatInstant(ZONE, slot.startMs));
}

const from = (date: string) => `${date}T09:00:00`;
const SEP_2 = from('1997-09-02');

describe('§3.8.5.3, examples that list dates', () => {
  test.each(DATE_EXAMPLES)('%s', (_name, dtstart, rule, dates) => {
    const goesOn = dates.endsWith('…');
    const wanted = writtenDates(goesOn ? dates.slice(0, -2) : dates);
    const found = starts(dtstart, [`RRULE:${rule}`], goesOn ? wanted.length : wanted.length + 5);
    expect(found.map((start) => start.slice(0, 10))).toEqual(wanted);
    expect(new Set(found.map((start) => start.slice(11, 19)))).toEqual(new Set(['09:00:00']));
  });

  test('every Friday the 13th, forever, with the dtstart taken out', () => {
    const found = starts(
      SEP_2,
      ['EXDATE;TZID=America/New_York:19970902T090000', 'RRULE:FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13'],
      5,
    );
    expect(found.map((start) => start.slice(0, 10))).toEqual(
      writtenDates('1998 Feb 13 Mar 13 Nov 13 1999 Aug 13 2000 Oct 13'),
    );
  });
});

const EVERY_20_MINUTES = ['09', '10', '11', '12', '13', '14', '15', '16'].flatMap((hour) => [
  `${hour}:00`,
  `${hour}:20`,
  `${hour}:40`,
]);

/** The RFC prints 17:00Z and means 17:00 in New York: as printed the rule ends at 13:00. */
const TIMES: readonly (readonly [name: string, rule: string, times: readonly string[]])[] = [
  [
    'every 3 hours from 9:00 AM to 5:00 PM',
    'FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z',
    ['09:00', '12:00', '15:00'],
  ],
  ['the same as printed', 'FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000Z', ['09:00', '12:00']],
  [
    'every 15 minutes for 6 occurrences',
    'FREQ=MINUTELY;INTERVAL=15;COUNT=6',
    ['09:00', '09:15', '09:30', '09:45', '10:00', '10:15'],
  ],
  [
    'every hour and a half for 4 occurrences',
    'FREQ=MINUTELY;INTERVAL=90;COUNT=4',
    ['09:00', '10:30', '12:00', '13:30'],
  ],
];

describe('§3.8.5.3, examples that list times', () => {
  test.each(TIMES)('%s', (_name, rule, times) => {
    const found = starts(SEP_2, [`RRULE:${rule}`], 100);
    expect(found).toEqual(times.map((time) => `1997-09-02T${time}:00-04:00`));
  });

  test.each([
    ['DAILY', 'FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40'],
    ['MINUTELY', 'FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16'],
  ])('every 20 minutes from 9:00 AM to 4:40 PM every day (%s)', (_freq, rule) => {
    const found = starts(SEP_2, [`RRULE:${rule}`], 48);
    const days = ['1997-09-02', '1997-09-03'];
    expect(found).toEqual(days.flatMap((day) => EVERY_20_MINUTES.map((time) => `${day}T${time}:00-04:00`)));
  });

  test('the clocks change and 9:00 stays 9:00', () => {
    const found = starts(from('1997-10-25'), ['RRULE:FREQ=DAILY;COUNT=3'], 5);
    expect(found).toEqual(['1997-10-25T09:00:00-04:00', '1997-10-26T09:00:00-05:00', '1997-10-27T09:00:00-05:00']);
  });

  test('§3.3.10: BYHOUR and BYMINUTE beside BYDAY and BYMONTH', () => {
    const rule = 'RRULE:FREQ=YEARLY;INTERVAL=2;BYMONTH=1;BYDAY=SU;BYHOUR=8,9;BYMINUTE=30';
    const found = starts('1997-01-05T08:30:00', [rule], 10).map((start) => start.slice(0, 16));
    expect(found).toEqual([
      ...['05', '12', '19', '26'].flatMap((day) => [`1997-01-${day}T08:30`, `1997-01-${day}T09:30`]),
      '1999-01-03T08:30',
      '1999-01-03T09:30',
    ]);
  });
});
