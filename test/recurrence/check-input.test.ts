import { RecurrenceError } from 'kalends/recurrence';
import { checkInputRecurrence } from 'kalends/recurrence/input';
import { describe, expect, test } from 'vitest';

const check = (dtstart: string, lines: readonly string[], timeZone: string | null = 'America/New_York') =>
  checkInputRecurrence({ dtstart, timeZone, lines });
const MONDAY = '2026-01-05T09:00:00';

describe('checkInputRecurrence', () => {
  test('returns the lines, a bare rule with its name', () => {
    expect(check(MONDAY, ['FREQ=WEEKLY;BYDAY=MO', ' EXDATE:20260112T140000Z '])).toEqual([
      'RRULE:FREQ=WEEKLY;BYDAY=MO',
      'EXDATE:20260112T140000Z',
    ]);
    expect(check(MONDAY, ['rrule:freq=daily'])).toEqual(['rrule:freq=daily']);
    expect(check(MONDAY, [])).toEqual([]);
    expect(check(MONDAY, ['RDATE:20260112T140000Z'])).toEqual(['RDATE:20260112T140000Z']);
  });

  test('writes RDATE and EXDATE of an all-day event as dates, of UTC times those in its zone', () => {
    const lines = ['RRULE:FREQ=DAILY', 'EXDATE:20260105T220000Z,20260107T090000', 'RDATE;VALUE=DATE:20260105'];
    const rewritten = (date: string) => [
      'RRULE:FREQ=DAILY',
      `EXDATE;VALUE=DATE:${date},20260107`,
      'RDATE;VALUE=DATE:20260105',
    ];
    expect(check('2026-01-05', lines, 'Africa/Cairo')).toEqual(rewritten('20260106'));
    expect(check('2026-01-05', lines, null)).toEqual(rewritten('20260105'));
  });

  test.each([
    ['RRULE', MONDAY, ['RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY']],
    ['RRULE', MONDAY, ['RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30']],
    ['RRULE', MONDAY, ['RRULE:FREQ=DAILY;UNTIL=20250101T000000Z']],
    ['EXRULE', MONDAY, ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY']],
    ['DTSTART', MONDAY, ['DTSTART:20260105T090000']],
    ['FREQ', MONDAY, ['RRULE:FREQ=HOURLY']],
    ['FREQ', MONDAY, ['RRULE:FREQ=MINUTELY']],
    ['FREQ', MONDAY, ['RRULE:FREQ=SECONDLY']],
    ['BYSECOND', MONDAY, ['RRULE:FREQ=DAILY;BYHOUR=9,10;BYMINUTE=0,10,20,30,40;BYSECOND=0,20,40']],
    ['BYMINUTE', MONDAY, ['RRULE:FREQ=WEEKLY;BYHOUR=9,10,11,12,13;BYMINUTE=0,10,20,30,40']],
    ['X-FOO', MONDAY, ['RRULE:FREQ=DAILY;X-FOO=1']],
    ['X-FOO', MONDAY, ['freq=daily; x-foo=1;count=2']],
    ['COUNT', MONDAY, ['RRULE:FREQ=DAILY;COUNT=2;UNTIL=20270101T000000Z']],
    ['BYWEEKNO', MONDAY, ['RRULE:FREQ=MONTHLY;BYWEEKNO=2']],
    ['BYYEARDAY', MONDAY, ['RRULE:FREQ=MONTHLY;BYYEARDAY=5']],
    ['BYMONTHDAY', MONDAY, ['RRULE:FREQ=WEEKLY;BYMONTHDAY=5']],
    ['BYSETPOS', MONDAY, ['RRULE:FREQ=DAILY;BYSETPOS=1']],
    ['BYHOUR', '2026-01-05', ['RRULE:FREQ=DAILY;BYHOUR=9']],
    ['timeZone', MONDAY, ['RRULE:FREQ=DAILY'], '+02:00'],
  ])('refuses %s', (part, dtstart, lines, timeZone: string | null = 'America/New_York') => {
    expect(() => check(dtstart, lines, timeZone)).toThrow(RecurrenceError);
    expect(() => check(dtstart, lines, timeZone)).toThrow(expect.objectContaining({ part }));
  });

  test('takes a dtstart off the rule that an RDATE lists', () => {
    const rule = 'RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=3';
    expect(() => check(MONDAY, [rule, 'RDATE:20260107T140000Z'])).toThrow(expect.objectContaining({ part: 'dtstart' }));
    const lines = [rule, 'RDATE;TZID=America/New_York:20260105T090000'];
    expect(check(MONDAY, lines)).toEqual(lines);
    expect(check('2026-01-05', [rule, 'RDATE;VALUE=DATE:20260105'])).toHaveLength(2);
  });

  test('drops properties without a value', () => {
    expect(check(MONDAY, ['RRULE:', 'EXDATE:'])).toEqual([]);
    expect(check(MONDAY, ['RRULE:', 'RRULE:FREQ=DAILY', 'RDATE;VALUE=DATE:'])).toEqual(['RRULE:FREQ=DAILY']);
  });

  test('takes up to 24 occurrences a day', () => {
    const hours = [...Array(24).keys()].join();
    const rule = `RRULE:FREQ=DAILY;BYHOUR=${hours}`;
    expect(check(MONDAY, [rule])).toEqual([rule]);
    expect(() => check(MONDAY, [`${rule};BYMINUTE=0,30`])).toThrow(
      'BYMINUTE: makes up to 48 occurrences a day, more than the 24 that are allowed',
    );
  });

  test.each([
    [
      'a date of a timed event',
      MONDAY,
      'FREQ=DAILY;UNTIL=20260110;INTERVAL=2',
      'FREQ=DAILY;UNTIL=20260111T045959Z;INTERVAL=2',
    ],
    ['a local time of a timed event', MONDAY, 'freq=daily;until=20260110T090000', 'freq=daily;until=20260110T140000Z'],
    ['a UTC time of a timed event', MONDAY, 'FREQ=DAILY;UNTIL=20260110T140000Z', 'FREQ=DAILY;UNTIL=20260110T140000Z'],
    ['a time of an all-day event', '2026-01-05', 'FREQ=DAILY;UNTIL=20260110T235959Z', 'FREQ=DAILY;UNTIL=20260110'],
    ['a date of an all-day event', '2026-01-05', 'FREQ=DAILY;UNTIL=20260110', 'FREQ=DAILY;UNTIL=20260110'],
  ])('answers UNTIL in the form that belongs to dtstart: %s', (_name, dtstart, rule, answered) => {
    expect(check(dtstart, [rule])).toEqual([`RRULE:${answered}`]);
  });

  test('names the first date that fits where dtstart does not', () => {
    expect(() => check('2026-01-06T09:00:00', ['RRULE:FREQ=WEEKLY;BYDAY=MO'])).toThrow(
      'dtstart: 2026-01-06T09:00:00 is not produced by the rule; the first that fits is 2026-01-12T09:00:00',
    );
    expect(() => check('2026-01-30', ['RRULE:FREQ=MONTHLY;BYMONTHDAY=31'], null)).toThrow(
      'the first that fits is 2026-01-31',
    );
  });

  test('takes a dtstart that EXDATE removes, and one in a gap', () => {
    expect(check(MONDAY, ['RRULE:FREQ=DAILY', 'EXDATE:20260105T140000Z'])).toHaveLength(2);
    expect(check('2026-03-08T02:30:00', ['RRULE:FREQ=DAILY'])).toHaveLength(1);
  });
});
