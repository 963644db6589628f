import fc from 'fast-check';
import {
  parseRecurrence,
  RecurrenceError,
  type RecurrenceLines,
  serializeRecurrence,
  writtenLines,
} from 'kalends/recurrence';
import { describe, expect, test } from 'vitest';
import { calendarCase, ruleText, subDailyCase } from '../differential/rule-shape.ts';

const print = (...lines: string[]) => serializeRecurrence(parseRecurrence(lines));

describe('what providers send is read', () => {
  test.each([
    ['a bare rule', ['FREQ=DAILY'], ['RRULE:FREQ=DAILY']],
    ['lower case', ['rrule:freq=weekly;byday=mo,we'], ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE']],
    ['parts in another order', ['RRULE:COUNT=3;FREQ=DAILY'], ['RRULE:FREQ=DAILY;COUNT=3']],
    ['a semicolon at the end', ['RRULE:FREQ=DAILY;'], ['RRULE:FREQ=DAILY']],
    ['spaces', [' RRULE:FREQ=DAILY; INTERVAL=2 '], ['RRULE:FREQ=DAILY;INTERVAL=2']],
    ['a plus sign', ['RRULE:FREQ=MONTHLY;BYDAY=+1MO'], ['RRULE:FREQ=MONTHLY;BYDAY=1MO']],
    ['an x-parameter', ['RRULE;X-EVOLUTION-ENDDATE=20200101T000000Z:FREQ=DAILY;COUNT=2'], ['RRULE:FREQ=DAILY;COUNT=2']],
    ['an x-part (RFC 2445)', ['RRULE:FREQ=DAILY;X-FOO=1'], ['RRULE:FREQ=DAILY']],
    ['the defaults of RFC 7529', ['RRULE:RSCALE=GREGORIAN;FREQ=DAILY;SKIP=OMIT'], ['RRULE:FREQ=DAILY']],
    ['a folded line', ['RRULE:FREQ=WEEKLY;BYD\r\n AY=MO'], ['RRULE:FREQ=WEEKLY;BYDAY=MO']],
    ['a line folded into two', ['RRULE:FREQ=WEEKLY;BYD', ' AY=MO'], ['RRULE:FREQ=WEEKLY;BYDAY=MO']],
    [
      'several properties in one text',
      ['RRULE:FREQ=DAILY\nEXDATE:20260101T090000Z\n'],
      ['RRULE:FREQ=DAILY', 'EXDATE:20260101T090000Z'],
    ],
    ['empty lines', ['', 'RRULE:FREQ=DAILY', '  '], ['RRULE:FREQ=DAILY']],
    [
      'properties without a value',
      ['RRULE:', 'EXRULE: ', 'RDATE;VALUE=DATE:', 'exdate;tzid=Europe/Kyiv:', 'RRULE:FREQ=DAILY'],
      ['RRULE:FREQ=DAILY'],
    ],
    [
      'a property whose value is folded into the next line',
      ['EXDATE:', ' 20260101T090000Z'],
      ['EXDATE:20260101T090000Z'],
    ],
    [
      'EXDATE before RRULE',
      ['EXDATE;TZID=America/New_York:20260101T090000,20260102T090000', 'RRULE:FREQ=DAILY'],
      ['RRULE:FREQ=DAILY', 'EXDATE;TZID=America/New_York:20260101T090000,20260102T090000'],
    ],
    [
      'EXDATE with a quoted zone',
      ['EXDATE;TZID="(UTC-05:00) Eastern; US":20260101T090000'],
      ['EXDATE;TZID="(UTC-05:00) Eastern; US":20260101T090000'],
    ],
    ['EXDATE of dates', ['EXDATE;VALUE=DATE:20260101,20260102'], ['EXDATE;VALUE=DATE:20260101,20260102']],
    ['EXDATE of dates without VALUE', ['EXDATE:20260101'], ['EXDATE;VALUE=DATE:20260101']],
    ['EXDATE with a trailing comma', ['EXDATE:20260101T090000Z,'], ['EXDATE:20260101T090000Z']],
    [
      'RDATE of periods',
      ['RDATE;VALUE=PERIOD:20260101T090000Z/PT1H30M'],
      ['RDATE;VALUE=PERIOD:20260101T090000Z/PT5400S'],
    ],
    [
      'RDATE of a period with an end',
      ['RDATE;VALUE=PERIOD:20260101T090000Z/20260101T100000Z'],
      ['RDATE;VALUE=PERIOD:20260101T090000Z/20260101T100000Z'],
    ],
    [
      'EXRULE of RFC 2445',
      ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY;BYDAY=SU'],
      ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY;BYDAY=SU'],
    ],
    ['two rules', ['RRULE:FREQ=DAILY;COUNT=2', 'RRULE:FREQ=WEEKLY'], ['RRULE:FREQ=DAILY;COUNT=2', 'RRULE:FREQ=WEEKLY']],
    [
      'a leap second (§3.3.12)',
      ['RRULE:FREQ=DAILY;UNTIL=20161231T235960Z'],
      ['RRULE:FREQ=DAILY;UNTIL=20161231T235959Z'],
    ],
  ])('%s', (_name, lines, printed) => {
    expect(print(...lines)).toEqual(printed);
  });
});

test('the lines that say something are those with a value, here or in the next line', () => {
  const lines = [
    'RRULE:',
    'rrule;x-a=1: ',
    'EXDATE:',
    ' 20260101T090000Z',
    'RDATE:',
    '  ',
    'RRULE:FREQ=DAILY',
    'RRULE',
  ];
  expect(writtenLines(lines)).toEqual(['EXDATE:', ' 20260101T090000Z', 'RRULE:FREQ=DAILY', 'RRULE']);
});

test('more rules than any calendar has are refused', () => {
  const rules = (count: number) => Array.from({ length: count }, () => 'RRULE:FREQ=DAILY');
  expect(parseRecurrence(rules(1_000)).rules).toHaveLength(1_000);
  expect(() => parseRecurrence([...rules(1_000), 'EXRULE:FREQ=DAILY'])).toThrow('EXRULE: more than 1000 rules');
});

describe('what cannot be read is an error that names the part', () => {
  test.each([
    ['RRULE:INTERVAL=2', 'FREQ'],
    ['RRULE:FREQ=FORTNIGHTLY', 'FREQ'],
    ['RRULE:FREQ=DAILY;FREQ=DAILY', 'FREQ'],
    ['RRULE:FREQ=DAILY;INTERVAL=0', 'INTERVAL'],
    ['RRULE:FREQ=DAILY;INTERVAL=-1', 'INTERVAL'],
    ['RRULE:FREQ=DAILY;INTERVAL=1.5', 'INTERVAL'],
    ['RRULE:FREQ=DAILY;INTERVAL=', 'INTERVAL'],
    ['RRULE:FREQ=DAILY;INTERVAL=99999999999', 'INTERVAL'],
    ['RRULE:FREQ=DAILY;COUNT=0', 'COUNT'],
    ['RRULE:FREQ=DAILY;COUNT=x', 'COUNT'],
    ['RRULE:FREQ=DAILY;UNTIL=tomorrow', 'UNTIL'],
    ['RRULE:FREQ=DAILY;UNTIL=20260231', 'UNTIL'],
    ['RRULE:FREQ=DAILY;UNTIL=20260101T250000Z', 'UNTIL'],
    ['RRULE:FREQ=DAILY;UNTIL=20260101T090000+0200', 'UNTIL'],
    ['RRULE:FREQ=DAILY;BYMONTH=13', 'BYMONTH'],
    ['RRULE:FREQ=DAILY;BYMONTH=0', 'BYMONTH'],
    ['RRULE:FREQ=DAILY;BYMONTH=5L', 'BYMONTH'],
    ['RRULE:FREQ=DAILY;BYMONTHDAY=0', 'BYMONTHDAY'],
    ['RRULE:FREQ=DAILY;BYMONTHDAY=32', 'BYMONTHDAY'],
    ['RRULE:FREQ=YEARLY;BYYEARDAY=367', 'BYYEARDAY'],
    ['RRULE:FREQ=YEARLY;BYWEEKNO=54', 'BYWEEKNO'],
    ['RRULE:FREQ=YEARLY;BYWEEKNO=0', 'BYWEEKNO'],
    ['RRULE:FREQ=DAILY;BYHOUR=24', 'BYHOUR'],
    ['RRULE:FREQ=DAILY;BYHOUR=-1', 'BYHOUR'],
    ['RRULE:FREQ=DAILY;BYMINUTE=60', 'BYMINUTE'],
    ['RRULE:FREQ=DAILY;BYSECOND=61', 'BYSECOND'],
    ['RRULE:FREQ=DAILY;BYSETPOS=0', 'BYSETPOS'],
    ['RRULE:FREQ=MONTHLY;BYDAY=XX', 'BYDAY'],
    ['RRULE:FREQ=MONTHLY;BYDAY=0MO', 'BYDAY'],
    ['RRULE:FREQ=MONTHLY;BYDAY=54MO', 'BYDAY'],
    ['RRULE:FREQ=MONTHLY;BYDAY=MO,', 'BYDAY'],
    ['RRULE:FREQ=MONTHLY;BYDAY=1', 'BYDAY'],
    ['RRULE:FREQ=WEEKLY;BYDAY=1MO', 'BYDAY'],
    ['RRULE:FREQ=DAILY;BYDAY=-1FR', 'BYDAY'],
    ['RRULE:FREQ=YEARLY;BYWEEKNO=3;BYDAY=1MO', 'BYDAY'],
    ['RRULE:FREQ=DAILY;WKST=1MO', 'WKST'],
    ['RRULE:FREQ=DAILY;BYEASTER=1', 'BYEASTER'],
    ['RRULE:RSCALE=HEBREW;FREQ=DAILY', 'RSCALE'],
    ['RRULE:FREQ=DAILY;SKIP=FORWARD', 'SKIP'],
    ['RRULE:FREQ=DAILY;COUNT', 'COUNT'],
    ['RRULE', 'RRULE'],
    ['DTSTART:20260101T090000', 'DTSTART'],
    ['EXDATE:20260101T0900', 'EXDATE'],
    ['EXDATE:nonsense', 'EXDATE'],
    ['EXDATE;VALUE=TEXT:20260101', 'EXDATE'],
    ['EXDATE:20260101T090000Z/PT1H', 'EXDATE'],
    ['RDATE;VALUE=PERIOD:20260101T090000Z/P', 'RDATE'],
    ['RDATE;VALUE=PERIOD:20260101T090000Z/PT1H/PT1H', 'RDATE'],
    ['hello', 'hello'],
  ])('%s', (line, part) => {
    expect(() => parseRecurrence([line])).toThrow(RecurrenceError);
    expect(() => parseRecurrence([line])).toThrow(expect.objectContaining({ part }));
  });
});

describe('reading what was written gives the same', () => {
  const rule = fc.oneof(calendarCase, subDailyCase).map(({ shape }) => `RRULE:${ruleText(shape)}`);
  const time = fc
    .tuple(fc.integer({ min: 0, max: 4_000_000_000 }), fc.constantFrom('date', 'local', 'utc', 'zoned'))
    .map(([second, form]) => {
      const text = new Date(second * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
      if (form === 'date') return { head: ';VALUE=DATE', text: text.slice(0, 8) };
      return { head: form === 'zoned' ? ';TZID=Europe/Kyiv' : '', text: form === 'utc' ? `${text}Z` : text };
    });
  const dates = fc
    .tuple(fc.constantFrom('RDATE', 'EXDATE'), fc.array(time, { minLength: 1, maxLength: 4 }))
    .map(([name, times]) => times.map(({ head, text }) => `${name}${head}:${text}`));

  test('for rules and dates of every form', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 2 }), fc.array(dates, { maxLength: 3 }), (rules, lists) => {
        const once: RecurrenceLines = parseRecurrence([...rules, ...lists.flat()]);
        const again = parseRecurrence(serializeRecurrence(once));
        expect(again).toEqual(once);
        expect(serializeRecurrence(again)).toEqual(serializeRecurrence(once));
      }),
      { numRuns: 1000 },
    );
  });
});
