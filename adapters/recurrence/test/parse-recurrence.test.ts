import rrule from 'rrule';
import { describe, expect, it, test } from 'vitest';
import { type ParseOptions, parseRecurrence } from '../src/index.ts';

const DAILY = 'RRULE:FREQ=DAILY;COUNT=2';

describe('texts', () => {
  const wanted = ['2026-01-05T09:00:00-05:00', '2026-01-06T09:00:00-05:00'];
  it.each<[string, string | readonly string[], ParseOptions?]>([
    ['lines', `DTSTART;TZID=America/New_York:20260105T090000\n${DAILY}`],
    ['lines of Windows', `DTSTART;TZID=America/New_York:20260105T090000\r\n${DAILY}\r\n`],
    ['a list of lines', ['DTSTART;TZID=America/New_York:20260105T090000', DAILY]],
    ['one line, as rrule reads it', `DTSTART;TZID=America/New_York:20260105T090000 ${DAILY}`],
    ['lines of indented source', `\n      DTSTART;TZID=America/New_York:20260105T090000\n      ${DAILY}\n    `],
    ['folded lines', 'DTSTART;TZID=America/New_York:20260105T090000\nRRULE:FREQ=DA\n ILY;COU\n\tNT=2'],
    [
      'lower case and a trailing semicolon',
      'dtstart;tzid=America/New_York:20260105T090000;\nrrule:freq=daily;count=2;',
    ],
    ['a bare rule', 'FREQ=DAILY;COUNT=2', { start: '2026-01-05T09:00', timeZone: 'America/New_York' }],
    ['a rule', DAILY, { start: '2026-01-05T14:00Z', timeZone: 'America/New_York' }],
    ['a start in UTC, in a zone', `DTSTART:20260105T140000Z\n${DAILY}`, { timeZone: 'America/New_York' }],
    ['local time, in a zone', `DTSTART:20260105T090000\n${DAILY}`, { timeZone: 'America/New_York' }],
    ['a TZID before the option', `DTSTART;TZID=America/New_York:20260105T090000\n${DAILY}`, { timeZone: 'Asia/Tokyo' }],
    [
      'an event in a calendar',
      [
        'BEGIN:VCALENDAR',
        'PRODID:-//x//y',
        'BEGIN:VEVENT',
        'SUMMARY:RRULE lunch',
        'DTSTART;TZID=America/New_York:20260105T090000',
        DAILY,
        'BEGIN:VALARM',
        'TRIGGER:-PT15M',
        'END:VALARM',
        'END:VEVENT',
        'END:VCALENDAR',
      ],
    ],
  ])('%s', (_name, text, options) => {
    expect(parseRecurrence(text, options).as('iso').all()).toEqual(wanted);
  });

  it('a DTSTART for each rule, as a set of rrule writes its rules of one start', () => {
    const set = new rrule.RRuleSet();
    for (const weekday of [rrule.RRule.MO, rrule.RRule.WE]) {
      const dtstart = new Date('2026-01-05T09:00Z');
      set.rrule(new rrule.RRule({ freq: 2, byweekday: [weekday], count: 2, dtstart, tzid: 'America/New_York' }));
    }
    const text = set.toString();
    expect(text.match(/DTSTART/g)).toHaveLength(2);
    expect(parseRecurrence(text).as('local').all()).toEqual([
      '2026-01-05T09:00:00',
      '2026-01-07T09:00:00',
      '2026-01-12T09:00:00',
      '2026-01-14T09:00:00',
    ]);
  });

  it.each([
    ['that name properties', 'DESCRIPTION:Changed from RRULE:FREQ=DAILY;COUNT=3\r\nSUMMARY:see EXDATE:20260105T090000'],
    ['that are folded before one', 'DESCRIPTION:Changed from\r\n RRULE:FREQ=DAILY;COUNT=3'],
    ['of other programs', 'X-OLD;X-WAS="a b":was\r\n\tEXDATE:20260105T090000 RDATE:20260108T090000'],
  ])('an event with texts %s', (_name, line) => {
    const text = `BEGIN:VEVENT\r\nDTSTART;TZID=America/New_York:20260105T090000\r\n${DAILY}\r\n${line}\r\nEND:VEVENT`;
    expect(parseRecurrence(text).lines).toEqual([DAILY]);
    expect(parseRecurrence(text).as('iso').all()).toEqual(wanted);
  });

  it('an event whose name of a zone is folded at its space', () => {
    const text = `BEGIN:VEVENT\r\nDTSTART;TZID="Eastern Standard \r\n Time":20260105T090000\r\n${DAILY}\r\nEND:VEVENT`;
    expect(parseRecurrence(text).as('iso').all()).toEqual(wanted);
  });

  it('RDATE, EXDATE and EXRULE, also in other zones', () => {
    const text = `DTSTART;TZID=America/New_York:20260105T090000
      RRULE:FREQ=DAILY;COUNT=6
      RDATE;TZID=Europe/Berlin:20260201T120000
      EXDATE:20260106T140000Z
      EXDATE;VALUE=DATE:20260107
      EXRULE:FREQ=WEEKLY;BYDAY=FR`;
    expect(parseRecurrence(text).as('local').all()).toEqual([
      '2026-01-05T09:00:00',
      '2026-01-08T09:00:00',
      '2026-01-10T09:00:00',
      '2026-02-01T06:00:00',
    ]);
  });

  it.each([
    [`DTSTART;VALUE=DATE:20260105\n${DAILY}`, ['2026-01-05', '2026-01-06']],
    [`DTSTART:20260105T090000\n${DAILY}`, ['2026-01-05T09:00:00', '2026-01-06T09:00:00']],
    [`DTSTART:20260105T090000Z\n${DAILY}`, ['2026-01-05T09:00:00+00:00', '2026-01-06T09:00:00+00:00']],
    ['DTSTART:20260105T090000Z\nRDATE:20260107T090000Z', ['2026-01-05T09:00:00+00:00', '2026-01-07T09:00:00+00:00']],
  ])('%j', (text, starts) => {
    expect(parseRecurrence(text).as('iso').all()).toEqual(starts);
  });
});

test.each<[string, string, ParseOptions?]>([
  ['FREQ=DAILY', 'DTSTART: is missing; add it to the text, or give the option start'],
  [`DTSTART:20260105T090000Z\n${DAILY}`, 'start: is given although the text has a DTSTART', { start: '2026-01-05' }],
  [
    `DTSTART:20260105T090000Z\nDTSTART:20260106T090000Z\n${DAILY}`,
    'DTSTART: is given twice; fromRRule takes sets of rrule whose rules have several starts',
  ],
  [`DTSTART;TZID=Asia/Tokyo:20260105T090000\nDTSTART:20260105T090000\n${DAILY}`, 'DTSTART: is given twice'],
  [`DTSTART;TZID=Asia/Tokyo:20260105T090000Z\n${DAILY}`, 'DTSTART: has a TZID and ends in Z'],
  [`DTSTART:2026-01-05\n${DAILY}`, 'DTSTART: "2026-01-05" is no date or date-time'],
  [`DTSTART:20260231T090000\n${DAILY}`, 'DTSTART: "2026-02-31T09:00:00" is no date'],
  [
    `DTSTART:20261101T063000Z\n${DAILY}`,
    'DTSTART: is the second 2026-11-01T01:30:00',
    { timeZone: 'America/New_York' },
  ],
  ['DTSTART:20260105T090000Z', 'RRULE: is missing'],
  [`DTSTART;TZID=Nowhere/Land:20260105T090000\n${DAILY}`, 'TZID: "Nowhere/Land" is no known time zone'],
  [`DTSTART:20260105T090000Z\n${DAILY}\nEXDATE;TZID=Nowhere:20260106T090000`, 'TZID: "Nowhere" is no known time zone'],
  [`DTSTART:20260105T090000Z\n${DAILY}\nSUMMARY:x`, 'SUMMARY: is none of DTSTART, RRULE, EXRULE, RDATE, EXDATE'],
  ['DTSTART:20260105T090000Z\nRRULE:FREQ=DAILY;BYMONTH=13', 'BYMONTH: "13" is no whole number from 1 to 12'],
  ['DTSTART:20260105T090000Z\nRRULE:FREQ=DAILY;BYEASTER=1', 'BYEASTER: "1" is not supported'],
  ['DTSTART;VALUE=DATE:20260105\nRRULE:FREQ=HOURLY', 'FREQ: HOURLY has no meaning for an all-day series'],
  ['BEGIN:VEVENT\nEND:VEVENT\nBEGIN:VEVENT\nEND:VEVENT', 'VEVENT: the text has several; give the lines of one'],
  ['BEGIN:VEVENT\nDTSTART:20260105T090000Z', 'VEVENT: has no END'],
  ['BEGIN:A\n'.repeat(17), 'A: is nested more than 16 deep'],
  ['END:VEVENT', 'VEVENT: END without its BEGIN'],
  ['', 'DTSTART: is missing'],
])('%j is refused', (text, message, options) => {
  expect(() => parseRecurrence(text, options)).toThrow(message);
});

describe('names of zones', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['"Europe/Berlin"', 'Europe/Berlin'],
    ['US/Central', 'US/Central'],
    ['W. Europe Standard Time', 'Europe/Berlin'],
    ['"(UTC-05:00) Eastern Time (US & Canada)"', 'America/New_York'],
    ['/mozilla.org/20070129_1/Europe/Paris', 'Europe/Paris'],
    ['/softwarestudio.org/Olson_20011030_5/America/New_York', 'America/New_York'],
    ['tzone://Microsoft/Utc', 'UTC'],
    ['"(GMT +01:00)"', 'Etc/GMT-1'],
  ])('%s is %s', (tzid, zone) => {
    const text = `DTSTART;TZID=${tzid}:20260105T090000\n${DAILY}\nEXDATE;TZID=${tzid}:20260106T090000`;
    const found = parseRecurrence(text);
    expect(found.timeZone).toBe(zone);
    expect(found.as('local').all()).toEqual(['2026-01-05T09:00:00']);
  });
});
