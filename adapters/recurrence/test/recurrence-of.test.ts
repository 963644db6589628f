import { Temporal } from 'temporal-polyfill/full';
import { describe, expect, it, test } from 'vitest';
import { type RecurrenceObject, recurrence } from '../src/index.ts';

const NEW_YORK = 'America/New_York';

describe('the start', () => {
  it.each<[string, Omit<RecurrenceObject, 'rule'>, string]>([
    [
      'local time in a zone',
      { start: '2026-01-05T09:00', timeZone: NEW_YORK },
      'DTSTART;TZID=America/New_York:20260105T090000',
    ],
    [
      'an instant in a zone',
      { start: '2026-01-05T14:00Z', timeZone: NEW_YORK },
      'DTSTART;TZID=America/New_York:20260105T090000',
    ],
    [
      'an offset in a zone',
      { start: '2026-01-05T15:00+01:00', timeZone: NEW_YORK },
      'DTSTART;TZID=America/New_York:20260105T090000',
    ],
    [
      'a Windows name',
      { start: '2026-01-05T09:00', timeZone: 'Eastern Standard Time' },
      'DTSTART;TZID=America/New_York:20260105T090000',
    ],
    ['local time alone', { start: '2026-01-05T09:00' }, 'DTSTART:20260105T090000'],
    ['a Date alone', { start: new Date('2026-01-05T09:00:00.750Z') }, 'DTSTART:20260105T090000Z'],
    ['a date', { start: '2026-01-05' }, 'DTSTART;VALUE=DATE:20260105'],
    [
      'a ZonedDateTime',
      { start: Temporal.ZonedDateTime.from('2026-01-05T09:00[Europe/Kyiv]') },
      'DTSTART;TZID=Europe/Kyiv:20260105T090000',
    ],
    ['a PlainDate', { start: Temporal.PlainDate.from('2026-01-05') }, 'DTSTART;VALUE=DATE:20260105'],
  ])('%s', (_name, start, line) => {
    expect(String(recurrence({ ...start, rule: 'FREQ=DAILY' })).split('\n')[0]).toBe(line);
  });

  it.each<[Omit<RecurrenceObject, 'rule'>, string]>([
    [{ start: '2026-01-05T09:00+01:00' }, 'start: has an offset, which is no time zone'],
    [
      { start: '2026-01-05T09:00Z', timeZone: null },
      'start: is an instant; a floating recurrence starts at a local time',
    ],
    [
      { start: '2026-11-01T06:30Z', timeZone: NEW_YORK },
      'start: is the second 2026-11-01T01:30:00 of America/New_York',
    ],
    [{ start: '5 January' }, 'start: "5 January" is no date or date-time'],
    [{ start: '2026-01-05T09:00', timeZone: 'Mars/Olympus' }, 'timeZone: "Mars/Olympus" is no known time zone'],
  ])('%j is refused', (start, message) => {
    expect(() => recurrence({ ...start, rule: 'FREQ=DAILY' })).toThrow(message);
  });
});

describe('rules', () => {
  it.each<[RecurrenceObject['rule'], readonly string[]]>([
    [{ freq: 'daily', interval: 2, count: 3 }, ['RRULE:FREQ=DAILY;COUNT=3;INTERVAL=2']],
    [{ freq: 'MONTHLY', byDay: '-1FR', wkst: 'SU' }, ['RRULE:FREQ=MONTHLY;BYDAY=-1FR;WKST=SU']],
    [
      { freq: 'yearly', byMonth: [3, 9], byMonthDay: 1, byHour: [9, 17] },
      ['RRULE:FREQ=YEARLY;BYHOUR=9,17;BYMONTHDAY=1;BYMONTH=3,9'],
    ],
    [{ freq: 'daily', until: '2026-02-01' }, ['RRULE:FREQ=DAILY;UNTIL=20260201']],
    [{ freq: 'daily', until: '2026-02-01T09:00' }, ['RRULE:FREQ=DAILY;UNTIL=20260201T140000Z']],
    [{ freq: 'daily', until: new Date('2026-02-01T14:00Z') }, ['RRULE:FREQ=DAILY;UNTIL=20260201T140000Z']],
    ['FREQ=DAILY', ['RRULE:FREQ=DAILY']],
    [' RRULE:FREQ=DAILY ', ['RRULE:FREQ=DAILY']],
    [
      ['FREQ=DAILY', { freq: 'weekly' }],
      ['RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY'],
    ],
    [undefined, []],
  ])('%j', (rule, lines) => {
    const given = { start: '2026-01-05T09:00', timeZone: NEW_YORK };
    expect(recurrence(rule === undefined ? given : { ...given, rule }).lines).toEqual(lines);
  });

  it.each([
    [{ freq: 'daily', byweekday: ['MO'] }, 'byweekday: is no part of a rule; the parts are freq, until'],
    [{ freq: 'fortnightly' }, 'FREQ: "FORTNIGHTLY" is none of YEARLY, MONTHLY'],
    [{ freq: 'daily', interval: 0 }, 'INTERVAL: "0" is no whole number from 1'],
    [{ freq: 'daily', byMonth: [13] }, 'BYMONTH: "13" is no whole number from 1 to 12'],
    [{ freq: 'daily', byHour: ['9;COUNT=1'] }, 'BYHOUR: must be a number, a name, or a list of these'],
    [{ freq: 'daily', byDay: [new Date(0)] }, 'BYDAY: must be a number, a name, or a list of these'],
    [{ freq: 'weekly', byDay: '2MO' }, 'BYDAY: a numbered weekday has no meaning with FREQ=WEEKLY'],
    [{ freq: 'daily', until: 'soon' }, 'UNTIL: "soon" is no date or date-time'],
    [{ interval: 2 }, 'FREQ: is missing'],
    ['FREQ=DAILY;COUNT=2\nRDATE:20300101T090000', 'rule: has several lines; parseRecurrence reads them'],
  ])('%j is refused', (rule, message) => {
    expect(() => recurrence({ start: '2026-01-05T09:00', rule: rule as never })).toThrow(message);
  });
});

describe('dates', () => {
  it('are added and left out in the form of the series', () => {
    const { lines } = recurrence({
      start: '2026-01-05T09:00',
      timeZone: NEW_YORK,
      rdates: ['2026-01-06T10:00', new Date('2026-01-07T10:00Z'), Temporal.PlainDate.from('2026-01-08')],
      exdates: ['2026-01-05T15:00+01:00', '2026-01-09'],
    });
    expect(lines).toEqual([
      'RDATE:20260106T150000Z,20260107T100000Z',
      'RDATE;VALUE=DATE:20260108',
      'EXDATE:20260105T140000Z',
      'EXDATE;VALUE=DATE:20260109',
    ]);
  });

  it('of an all-day recurrence are dates', () => {
    const given = { start: '2026-01-05', rule: 'FREQ=DAILY;COUNT=3' };
    const midnight = new Date('2026-01-06T00:00Z');
    expect(
      recurrence({ ...given, exdates: [midnight] })
        .as('iso')
        .all(),
    ).toEqual(['2026-01-05', '2026-01-07']);
    expect(() => recurrence({ ...given, exdates: ['2026-01-06T09:00'] })).toThrow(
      'exdates: an all-day series has dates only',
    );
  });
});

test('an unknown field is refused', () => {
  const object = { start: '2026-01-05', dtstart: '2026-01-05' };
  expect(() => recurrence(object)).toThrow('dtstart: is no field; the fields are start, timeZone, rule');
});
