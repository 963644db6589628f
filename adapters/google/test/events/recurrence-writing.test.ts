import { ProviderError } from 'kalends/ports';
import { describe, expect, test } from 'vitest';
import { writeRecurrence } from '../../src/events/recurrence-writing.ts';

const timed = { start: { dateTime: '2026-03-02T09:00:00-05:00', timeZone: 'America/New_York' }, isAllDay: false };
const allDay = { start: { dateTime: '2026-03-02T00:00:00', timeZone: '' }, isAllDay: true };

describe('recurrence lines of a timed series', () => {
  test.each([
    [
      'what fits stays as it was',
      'RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=5;WKST=SU',
      'RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=5;WKST=SU',
    ],
    ['a bare rule', 'FREQ=DAILY', 'RRULE:FREQ=DAILY'],
    ['UNTIL in UTC', 'RRULE:FREQ=DAILY;UNTIL=20260310T130000Z', 'RRULE:FREQ=DAILY;UNTIL=20260310T130000Z'],
    ['UNTIL in local time', 'RRULE:FREQ=DAILY;UNTIL=20260310T090000', 'RRULE:FREQ=DAILY;UNTIL=20260310T130000Z'],
    ['UNTIL as a date', 'RRULE:UNTIL=20260305;FREQ=DAILY', 'RRULE:UNTIL=20260306T045959Z;FREQ=DAILY'],
    ['parameters before a rule', 'rrule;X-NOTE="a:b":FREQ=DAILY', 'RRULE:FREQ=DAILY'],
    ['a folded line', 'RRULE:FREQ=DAILY;\r\n COUNT=3', 'RRULE:FREQ=DAILY;COUNT=3'],
    ['EXDATE with a zone', 'EXDATE;TZID=Europe/Paris:20260303T150000', 'EXDATE;TZID=Europe/Paris:20260303T150000'],
    ['EXDATE in UTC', 'EXDATE:20260303T140000Z,20260304T140000Z', 'EXDATE:20260303T140000Z,20260304T140000Z'],
    ['EXDATE in local time', 'EXDATE:20260303T090000', 'EXDATE;TZID=America/New_York:20260303T090000'],
    ['EXDATE as a date', 'EXDATE;VALUE=DATE:20260303', 'EXDATE;TZID=America/New_York:20260303T090000'],
    ['RDATE mixed', 'RDATE:20260303T090000,20260310T130000Z', 'RDATE:20260303T140000Z,20260310T130000Z'],
    ['RDATE as a period', 'RDATE;VALUE=PERIOD:20260303T140000Z/PT1H', 'RDATE;VALUE=PERIOD:20260303T140000Z/PT1H'],
    [
      'RDATE as periods of another zone',
      'RDATE;TZID=Europe/Berlin;VALUE=PERIOD:20260601T090000/PT3H,20260602T090000/20260602T100000',
      'RDATE;VALUE=PERIOD:20260601T070000Z/PT3H,20260602T070000Z/20260602T080000Z',
    ],
    ['RDATE as a local period', 'RDATE;VALUE=PERIOD:20260303T090000/PT1H', 'RDATE;VALUE=PERIOD:20260303T140000Z/PT1H'],
    ['EXRULE', 'EXRULE:FREQ=WEEKLY', 'EXRULE:FREQ=WEEKLY'],
    [
      'a zone by its Windows name',
      'EXDATE;TZID=Eastern Standard Time:20260303T090000',
      'EXDATE;TZID=America/New_York:20260303T090000',
    ],
    [
      'every month of a year',
      'RRULE:FREQ=YEARLY;BYMONTHDAY=2',
      'RRULE:FREQ=YEARLY;BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12;BYMONTHDAY=2',
    ],
    ['a month of a year', 'RRULE:FREQ=YEARLY;BYMONTHDAY=2;BYMONTH=3', 'RRULE:FREQ=YEARLY;BYMONTHDAY=2;BYMONTH=3'],
  ])('%s', (_name, line, expected) => {
    expect(writeRecurrence([line], timed)).toEqual([expected]);
  });
});

describe('recurrence lines of an all-day series', () => {
  test.each([
    ['RRULE:FREQ=DAILY;UNTIL=20260310', 'RRULE:FREQ=DAILY;UNTIL=20260310'],
    ['RRULE:FREQ=DAILY;UNTIL=20260310T235959Z', 'RRULE:FREQ=DAILY;UNTIL=20260310'],
    ['EXDATE:20260303T000000,20260304', 'EXDATE;VALUE=DATE:20260303,20260304'],
  ])('%s', (line, expected) => {
    expect(writeRecurrence([line], allDay)).toEqual([expected]);
  });
});

test.each([
  'DTSTART:20260302T090000Z',
  'SUMMARY:x',
  'nothing',
  'RRULE:FREQ=DAILY;UNTIL=soon',
  'EXDATE:20260230',
  'RRULE:FREQ=YEARLY;BYMONTHDAY=2;BYDAY=1MO',
])('%s is refused', (line) => {
  let failure: unknown;
  try {
    writeRecurrence([line], timed);
  } catch (error) {
    failure = error;
  }
  expect(ProviderError.isInstance(failure) && [failure.reason, failure.field]).toEqual(['unsupported', 'recurrence']);
});
