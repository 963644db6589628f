import { describe, expect, test } from 'vitest';
import { startsOf } from './slots.ts';

/*
 * Expected lists worked out by hand from the changes of the clocks:
 * - St John's, 29 October 2006: 00:01-02:30 is followed by 23:01-03:30 of the day before (02:31Z);
 * - Lord Howe, 5 April 2026: 02:00+11:00 becomes 01:30+10:30 (15:00Z the day before);
 * - Lord Howe, 4 October 2026: 02:00+10:30 becomes 02:30+11:00 (15:30Z the day before);
 * - Pyongyang, 15 August 2015: 00:00+09:00 becomes 23:30+08:30 of the day before (15:00Z the day before);
 * - Pyongyang, 4 May 2018: 23:30+08:30 becomes 00:00+09:00 of the day after (15:00Z).
 */
const TABLE: readonly (readonly [zone: string, dtstart: string, rule: string, starts: readonly string[]])[] = [
  [
    'America/St_Johns',
    '2006-10-28T22:30',
    'FREQ=HOURLY',
    ['28T22:30-02:30', '28T23:30-02:30', '28T23:30-03:30', '29T00:30-03:30', '29T01:30-03:30'],
  ],
  [
    'America/St_Johns',
    '2006-10-28T22:30',
    'FREQ=HOURLY;INTERVAL=2',
    ['28T22:30-02:30', '28T23:30-03:30', '29T01:30-03:30', '29T03:30-03:30'],
  ],
  [
    'America/St_Johns',
    '2006-10-28T22:00',
    'FREQ=HOURLY;BYMINUTE=0,10',
    [
      ...['28T22:00-02:30', '28T22:10-02:30', '28T23:00-02:30', '28T23:10-02:30', '29T00:00-02:30'],
      ...['28T23:10-03:30', '29T00:00-03:30', '29T00:10-03:30', '29T01:00-03:30', '29T01:10-03:30'],
    ],
  ],
  [
    'America/St_Johns',
    '2006-10-28T22:00',
    'FREQ=HOURLY;INTERVAL=2;BYMINUTE=0,10',
    ['28T22:00-02:30', '28T22:10-02:30', '29T00:00-02:30', '28T23:10-03:30', '29T01:00-03:30', '29T01:10-03:30'],
  ],
  [
    'Australia/Lord_Howe',
    '2026-04-05T00:00',
    'FREQ=HOURLY',
    ['05T00:00+11:00', '05T01:00+11:00', '05T01:30+10:30', '05T02:30+10:30', '05T03:30+10:30'],
  ],
  [
    'Australia/Lord_Howe',
    '2026-04-05T00:00',
    'FREQ=HOURLY;INTERVAL=2',
    ['05T00:00+11:00', '05T01:30+10:30', '05T03:30+10:30', '05T05:30+10:30'],
  ],
  [
    'Australia/Lord_Howe',
    '2026-04-05T00:10',
    'FREQ=HOURLY;BYMINUTE=10,40',
    [
      ...['05T00:10+11:00', '05T00:40+11:00', '05T01:10+11:00', '05T01:40+11:00'],
      ...['05T01:40+10:30', '05T02:10+10:30', '05T02:40+10:30', '05T03:10+10:30'],
    ],
  ],
  [
    'Australia/Lord_Howe',
    '2026-04-05T00:10',
    'FREQ=HOURLY;INTERVAL=2;BYMINUTE=10,40',
    ['05T00:10+11:00', '05T00:40+11:00', '05T01:40+10:30', '05T02:10+10:30', '05T03:40+10:30', '05T04:10+10:30'],
  ],
  [
    'Australia/Lord_Howe',
    '2026-10-04T00:00',
    'FREQ=HOURLY',
    ['04T00:00+10:30', '04T01:00+10:30', '04T02:30+11:00', '04T03:30+11:00', '04T04:30+11:00'],
  ],
  [
    'Australia/Lord_Howe',
    '2026-10-04T00:00',
    'FREQ=HOURLY;INTERVAL=2',
    ['04T00:00+10:30', '04T02:30+11:00', '04T04:30+11:00', '04T06:30+11:00'],
  ],
  [
    'Australia/Lord_Howe',
    '2026-10-04T00:10',
    'FREQ=HOURLY;BYMINUTE=10,40',
    [
      ...['04T00:10+10:30', '04T00:40+10:30', '04T01:10+10:30', '04T01:40+10:30'],
      ...['04T02:40+11:00', '04T03:10+11:00', '04T03:40+11:00', '04T04:10+11:00'],
    ],
  ],
  [
    'Australia/Lord_Howe',
    '2026-10-04T00:10',
    'FREQ=HOURLY;INTERVAL=2;BYMINUTE=10,40',
    ['04T00:10+10:30', '04T00:40+10:30', '04T02:40+11:00', '04T03:10+11:00', '04T04:40+11:00', '04T05:10+11:00'],
  ],
  [
    'Australia/Lord_Howe',
    '2026-10-04T00:40',
    'FREQ=HOURLY;BYMINUTE=40',
    ['04T00:40+10:30', '04T01:40+10:30', '04T02:40+11:00', '04T03:40+11:00'],
  ],
  [
    'Asia/Pyongyang',
    '2015-08-14T22:00',
    'FREQ=HOURLY',
    ['14T22:00+09:00', '14T23:00+09:00', '14T23:30+08:30', '15T00:30+08:30', '15T01:30+08:30'],
  ],
  [
    'Asia/Pyongyang',
    '2015-08-14T22:00',
    'FREQ=HOURLY;INTERVAL=2',
    ['14T22:00+09:00', '14T23:30+08:30', '15T01:30+08:30', '15T03:30+08:30'],
  ],
  [
    'Asia/Pyongyang',
    '2015-08-14T22:10',
    'FREQ=HOURLY;BYMINUTE=10,40',
    [
      ...['14T22:10+09:00', '14T22:40+09:00', '14T23:10+09:00', '14T23:40+09:00'],
      ...['14T23:40+08:30', '15T00:10+08:30', '15T00:40+08:30', '15T01:10+08:30'],
    ],
  ],
  [
    'Asia/Pyongyang',
    '2015-08-14T22:10',
    'FREQ=HOURLY;INTERVAL=2;BYMINUTE=10,40',
    ['14T22:10+09:00', '14T22:40+09:00', '14T23:40+08:30', '15T00:10+08:30', '15T01:40+08:30', '15T02:10+08:30'],
  ],
  [
    'Asia/Pyongyang',
    '2018-05-04T22:00',
    'FREQ=HOURLY',
    ['04T22:00+08:30', '04T23:00+08:30', '05T00:30+09:00', '05T01:30+09:00', '05T02:30+09:00'],
  ],
  [
    'Asia/Pyongyang',
    '2018-05-04T22:00',
    'FREQ=HOURLY;INTERVAL=2',
    ['04T22:00+08:30', '05T00:30+09:00', '05T02:30+09:00', '05T04:30+09:00'],
  ],
  [
    'Asia/Pyongyang',
    '2018-05-04T22:10',
    'FREQ=HOURLY;BYMINUTE=10,40',
    [
      ...['04T22:10+08:30', '04T22:40+08:30', '04T23:10+08:30'],
      ...['05T00:10+09:00', '05T00:40+09:00', '05T01:10+09:00', '05T01:40+09:00'],
    ],
  ],
  [
    'Asia/Pyongyang',
    '2018-05-04T22:10',
    'FREQ=HOURLY;INTERVAL=2;BYMINUTE=10,40',
    ['04T22:10+08:30', '04T22:40+08:30', '05T00:40+09:00', '05T01:10+09:00', '05T02:40+09:00', '05T03:10+09:00'],
  ],
];

/** `05T01:30+10:30` for `2026-04-05T01:30:00+10:30`. */
const short = (start: string): string => start.slice(8, 16) + start.slice(19);

const starts = (timeZone: string, dtstart: string, rule: string, limit: number): readonly string[] =>
  startsOf({ dtstart: `${dtstart}:00`, timeZone, lines: [`RRULE:${rule}`] }, limit).map(short);

describe('hours over a change of the clocks', () => {
  test.each(TABLE)('%s from %s: %s', (zone, dtstart, rule, wanted) => {
    expect(starts(zone, dtstart, rule, wanted.length)).toEqual(wanted);
  });

  const byMinutes = TABLE.filter(([, , rule]) => rule.startsWith('FREQ=HOURLY;BYMINUTE='));

  test.each(byMinutes)('%s from %s: %s is the same by minutes', (zone, dtstart, rule, wanted) => {
    expect(starts(zone, dtstart, rule.replace('HOURLY', 'MINUTELY'), wanted.length)).toEqual(wanted);
  });

  test.each(byMinutes)('%s from %s: %s does not depend on the minute of dtstart', (zone, dtstart, rule) => {
    const hour = dtstart.slice(0, 14);
    const all = starts(zone, `${hour}00`, rule, 20);
    for (const minute of ['03', '17', '47']) {
      const first = `${hour.slice(8)}${minute}`;
      const wanted = all.filter((start) => !start.startsWith(hour.slice(8)) || start > first);
      expect(starts(zone, hour + minute, rule, wanted.length)).toEqual(wanted);
    }
  });

  test.each([
    [
      'Asia/Beirut',
      '2026-10-24T21:00',
      'HOURLY;UNTIL=20261024',
      ['21:00+03:00', '22:00+03:00', '23:00+03:00', '23:00+02:00'],
    ],
    ['Africa/Cairo', '2026-10-29T23:00', 'HOURLY;UNTIL=20261029', ['23:00+03:00', '23:00+02:00']],
    ['America/Santiago', '2026-04-04T22:30', 'HOURLY;UNTIL=20260404', ['22:30-03:00', '23:30-03:00', '23:30-04:00']],
    ['America/Nuuk', '2026-03-28T21:00', 'HOURLY;UNTIL=20260328', ['21:00-02:00', '22:00-02:00']],
    ['America/Nuuk', '2026-03-28T23:30', 'DAILY;UNTIL=20260328', ['00:30-01:00']],
    ['Atlantic/Azores', '2026-10-24T23:00', 'HOURLY;UNTIL=20261024', ['23:00+00:00']],
  ])('%s from %s: %s ends with its day', (zone, dtstart, rule, wanted) => {
    expect(starts(zone, dtstart, `FREQ=${rule}`, 10).map((start) => start.slice(3))).toEqual(wanted);
  });
});
