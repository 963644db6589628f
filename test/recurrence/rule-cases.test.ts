import { compileSeries } from 'kalends/recurrence';
import { describe, expect, test } from 'vitest';
import { writtenDates } from '../rfc5545/written-dates.js';
import { floating, startsOf } from './slots.ts';

const dates = (dtstart: string, rule: string, limit: number) =>
  floating(`${dtstart}T09:00:00`, [`RRULE:${rule}`], limit).map((start) => start.slice(0, 10));

describe('§3.3.10, cases that other libraries get wrong', () => {
  test.each([
    ['BYSETPOS before the set names nothing', '2026-01-03', 'FREQ=MONTHLY;BYMONTHDAY=3;BYSETPOS=-3', ''],
    [
      'BYSETPOS out of order, each slot once',
      '2026-01-01',
      'FREQ=MONTHLY;BYMONTHDAY=11,22,29;BYDAY=SA,WE;BYSETPOS=-2,1',
      '2026 Feb 11 Mar 11 Apr 11,22',
    ],
    ['BYSETPOS that names one slot twice', '2026-01-03', 'FREQ=MONTHLY;BYSETPOS=1,-1', '2026 Jan 3 Feb 3 Mar 3'],
    ['a day that a month lacks is left out', '2026-01-30', 'FREQ=YEARLY;BYMONTH=2,5', '2026 May 30 2027 May 30'],
    [
      'weekdays counted in the year',
      '2026-01-01',
      'FREQ=YEARLY;BYDAY=-41WE,53MO',
      '2026 Mar 25 2027 Mar 24 2028 Mar 22',
    ],
    [
      'a fifth weekday from the end of a month',
      '2026-01-01',
      'FREQ=MONTHLY;BYDAY=-5FR',
      '2026 Jan 2 May 1 Jul 3 Oct 2',
    ],
    ['doubled values collapse', '2026-01-01', 'FREQ=MONTHLY;BYMONTHDAY=1,1;BYHOUR=9,9', '2026 Jan 1 Feb 1 Mar 1'],
    ['plain and numbered weekdays are a union', '2026-01-01', 'FREQ=MONTHLY;BYDAY=TH,5WE', '2026 Jan 1,8,15,22,29'],
    ['YEARLY;BYMONTHDAY alone is every month', '2026-01-20', 'FREQ=YEARLY;BYMONTHDAY=20', '2026 Jan 20 Feb 20 Mar 20'],
    [
      'BYWEEKNO alone takes the weekday of dtstart',
      '2026-01-07',
      'FREQ=YEARLY;BYWEEKNO=1,2,20',
      '2026 Jan 7 May 13 2027 Jan 6,13',
    ],
    [
      'WEEKLY;BYWEEKNO takes the weekday of dtstart',
      '2026-01-07',
      'FREQ=WEEKLY;BYWEEKNO=1,2,20',
      '2026 Jan 7 May 13 2027 Jan 6,13',
    ],
    [
      'MONTHLY;BYWEEKNO takes the weekday of dtstart',
      '2026-01-07',
      'FREQ=MONTHLY;BYWEEKNO=1,2,20',
      '2026 Jan 7 May 13 2027 Jan 6,13',
    ],
    [
      'BYDAY decides beside WEEKLY;BYWEEKNO',
      '2026-01-07',
      'FREQ=WEEKLY;BYWEEKNO=2;BYDAY=MO,SU',
      '2026 Jan 11 2027 Jan 11,17',
    ],
    [
      'week 53, where there is one',
      '2020-12-28',
      'FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO',
      '2020 Dec 28 2026 Dec 28 2032 Dec 27',
    ],
    [
      'the last week by its negative number',
      '2020-12-28',
      'FREQ=YEARLY;BYWEEKNO=-1;BYDAY=MO',
      '2020 Dec 28 2021 Dec 27 2022 Dec 26',
    ],
    [
      'week 1 begins in the old year',
      '2024-01-01',
      'FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO',
      '2024 Jan 1 Dec 30 2025 Dec 29 2027 Jan 4',
    ],
    ['a leap day', '2024-02-29', 'FREQ=YEARLY', '2024 Feb 29 2028 Feb 29 2032 Feb 29'],
    [
      'a leap day on a Sunday',
      '2004-02-29',
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU',
      '2004 Feb 29 2032 Feb 29 2060 Feb 29',
    ],
    ['no leap day in 2100', '2096-02-29', 'FREQ=YEARLY', '2096 Feb 29 2104 Feb 29'],
    [
      'the first week with BYSETPOS is whole',
      '2026-01-07',
      'FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2',
      '2026 Jan 7,14,21',
    ],
  ])('%s', (_name, dtstart, rule, wanted) => {
    const found = writtenDates(wanted).filter((date) => date.length === 10);
    expect(dates(dtstart, rule, Math.max(found.length, 1))).toEqual(wanted === '' ? [] : found);
  });

  test('the phase of a sub-daily step holds from day to day', () => {
    const found = floating('2026-01-01T02:11:07', ['RRULE:FREQ=MINUTELY;INTERVAL=24;BYHOUR=2'], 6);
    expect(found).toEqual([
      '2026-01-01T02:11:07',
      '2026-01-01T02:35:07',
      '2026-01-01T02:59:07',
      '2026-01-02T02:11:07',
      '2026-01-02T02:35:07',
      '2026-01-02T02:59:07',
    ]);
  });

  test('a leap second is second 59 (§3.3.12)', () => {
    expect(floating('2026-01-01T09:00:59', ['RRULE:FREQ=DAILY;BYSECOND=59,60;COUNT=2'])).toEqual([
      '2026-01-01T09:00:59',
      '2026-01-02T09:00:59',
    ]);
  });

  test('BYHOUR of an all-day series is ignored', () => {
    expect(floating('2026-01-01', ['RRULE:FREQ=DAILY;BYHOUR=9,17;COUNT=2'])).toEqual(['2026-01-01', '2026-01-02']);
  });

  test('a dtstart that the rule does not produce is not added', () => {
    expect(dates('2026-01-01', 'FREQ=WEEKLY;BYDAY=MO', 2)).toEqual(['2026-01-05', '2026-01-12']);
  });

  test('COUNT counts slots, not dtstart', () => {
    expect(dates('2026-01-01', 'FREQ=WEEKLY;BYDAY=MO;COUNT=2', 9)).toEqual(['2026-01-05', '2026-01-12']);
  });
});

describe('§3.3.10, UNTIL', () => {
  const zoned = (until: string) =>
    startsOf({
      dtstart: '2026-01-01T20:00:00',
      timeZone: 'America/New_York',
      lines: [`RRULE:FREQ=DAILY;UNTIL=${until}`],
    });

  test.each([
    ['as an instant, inclusive', '20260103T010000Z', 2],
    ['as an instant, a second too early', '20260103T005959Z', 1],
    ['as local time, inclusive', '20260102T200000', 2],
    ['as local time, a second too early', '20260102T195959', 1],
    ['as a date, the whole day', '20260102', 2],
  ])('%s', (_name, until, count) => {
    expect(zoned(until)).toHaveLength(count);
  });

  test('of an all-day series, as a date or as a UTC time', () => {
    expect(floating('2026-01-01', ['RRULE:FREQ=DAILY;UNTIL=20260103'])).toHaveLength(3);
    expect(floating('2026-01-01', ['RRULE:FREQ=DAILY;UNTIL=20260103T235959Z'])).toHaveLength(3);
  });

  test('in the second pass of an overlap lets the first pass through', () => {
    const lines = ['RRULE:FREQ=DAILY;UNTIL=20261101T061500Z'];
    const found = startsOf({ dtstart: '2026-10-31T01:30:00', timeZone: 'America/New_York', lines });
    expect(found).toEqual(['2026-10-31T01:30:00-04:00', '2026-11-01T01:30:00-04:00']);
  });

  test('in a gap cuts what the gap shifted past it', () => {
    const lines = ['RRULE:FREQ=DAILY;UNTIL=20260308T071500Z'];
    const found = startsOf({ dtstart: '2026-03-07T02:30:00', timeZone: 'America/New_York', lines });
    expect(found).toEqual(['2026-03-07T02:30:00-05:00']);
  });
});

describe('§3.8.5.1 EXDATE and §3.8.5.2 RDATE', () => {
  const base = { dtstart: '2026-01-01T09:00:00', timeZone: 'America/New_York' };
  const days = (...lines: string[]) => startsOf({ ...base, lines }, 4).map((start) => start.slice(8, 16));

  test.each([
    ['in the zone', 'EXDATE;TZID=America/New_York:20260102T090000'],
    ['in UTC', 'EXDATE:20260102T140000Z'],
    ['in another zone', 'EXDATE;TZID=Europe/Berlin:20260102T150000'],
    ['by a Windows name', 'EXDATE;TZID=Eastern Standard Time:20260102T090000'],
    ['in an unknown zone, as local time', 'EXDATE;TZID=Customized Time Zone:20260102T090000'],
    ['floating', 'EXDATE:20260102T090000'],
    ['as a date, its whole day', 'EXDATE;VALUE=DATE:20260102'],
  ])('EXDATE %s', (_name, line) => {
    expect(days('RRULE:FREQ=DAILY;COUNT=3', line)).toEqual(['01T09:00', '03T09:00']);
  });

  test('EXDATE that meets no slot removes nothing, and COUNT counts what it removes', () => {
    expect(days('RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20260102T140001Z')).toHaveLength(2);
    expect(days('RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20260101T140000Z')).toEqual(['02T09:00']);
  });

  test('EXDATE by the time to which a gap shifted the slot', () => {
    const lines = ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;TZID=America/New_York:20260308T033000'];
    const found = startsOf({ dtstart: '2026-03-07T02:30:00', timeZone: 'America/New_York', lines });
    expect(found.map((start) => start.slice(0, 10))).toEqual(['2026-03-07', '2026-03-09']);
  });

  test('EXDATE of an all-day series, also as a UTC time', () => {
    const lines = ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20260102T000000Z'];
    expect(floating('2026-01-01', lines)).toEqual(['2026-01-01', '2026-01-03']);
  });

  test('UTC times of an all-day series are dates in its zone, as Exchange writes them', () => {
    const lines = ['RRULE:FREQ=DAILY;UNTIL=20260817T220000Z', 'EXDATE:20260815T220000Z,20260817T000000Z'];
    const found = startsOf({ dtstart: '2026-08-15', timeZone: 'Europe/Berlin', lines });
    expect(found).toEqual(['2026-08-15', '2026-08-18']);
    const endOfDay = ['RRULE:FREQ=DAILY;UNTIL=20260816T235959Z'];
    expect(startsOf({ dtstart: '2026-08-15', timeZone: 'Europe/Berlin', lines: endOfDay })).toHaveLength(2);
  });

  test('RDATE adds, sorts in and collapses with the rule', () => {
    const lines = ['RRULE:FREQ=DAILY;COUNT=2', 'RDATE:20260101T170000Z,20260102T140000Z', 'RDATE;VALUE=DATE:20260105'];
    expect(days(...lines)).toEqual(['01T09:00', '01T12:00', '02T09:00', '05T09:00']);
  });

  test('RDATE alone comes beside dtstart', () => {
    expect(days('RDATE;TZID=America/New_York:20260110T090000')).toEqual(['01T09:00', '10T09:00']);
    expect(days()).toEqual(['01T09:00']);
  });

  test('RDATE may come before dtstart', () => {
    expect(days('RRULE:FREQ=DAILY;COUNT=1', 'RDATE:20251231T140000Z')).toEqual(['31T09:00', '01T09:00']);
  });

  test('RDATE of a period has its own length', () => {
    const lines = ['RDATE;VALUE=PERIOD:20260102T140000Z/PT30M,20260103T140000Z/20260103T160000Z'];
    const found = compileSeries({ ...base, lines }).occurrences({ from: 0, to: Number.POSITIVE_INFINITY });
    expect(found.map((slot) => slot.durationMs)).toEqual([undefined, 1_800_000, 7_200_000]);
  });

  test('several rules are a union, EXRULE takes away', () => {
    const lines = ['RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY;BYDAY=TH;BYHOUR=12', 'EXRULE:FREQ=DAILY;INTERVAL=2'];
    expect(days(...lines)).toEqual(['01T12:00', '02T09:00', '04T09:00', '06T09:00']);
  });
});

describe('a definition that cannot be read', () => {
  test.each([
    ['dtstart', { dtstart: '2026-02-30T09:00:00' }],
    ['dtstart', { dtstart: '2026-01-01T09:00:00Z' }],
    ['timeZone', { timeZone: 'Mars/Olympus' }],
    ['timeZone', { timeZone: '+02:00' }],
    ['FREQ', { dtstart: '2026-01-01', lines: ['RRULE:FREQ=HOURLY'] }],
  ])('%s is named', (part, change) => {
    const definition = { dtstart: '2026-01-01T09:00:00', timeZone: 'UTC', lines: ['RRULE:FREQ=DAILY'], ...change };
    expect(() => compileSeries(definition)).toThrow(expect.objectContaining({ part }));
  });
});
