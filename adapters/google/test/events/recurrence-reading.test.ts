import { compileSeries } from 'kalends/recurrence';
import { describe, expect, test } from 'vitest';
import { readRecurrence } from '../../src/events/recurrence-reading.ts';
import { writeRecurrence } from '../../src/events/recurrence-writing.ts';

const TIMED = { dtstart: '2026-03-02T09:00:00', timeZone: 'America/New_York' };
const ALL_DAY = { dtstart: '2026-03-02', timeZone: null };
const DAILY = 'RRULE:FREQ=DAILY;COUNT=5';

describe('lines of a timed series', () => {
  test.each([
    ['a rule stays as written', ['RRULE:FREQ=WEEKLY;WKST=SU;BYDAY=MO,WE'], ['RRULE:FREQ=WEEKLY;WKST=SU;BYDAY=MO,WE']],
    ['a bare rule gets its name', ['FREQ=DAILY'], ['RRULE:FREQ=DAILY']],
    ['a rule without a value adds nothing', ['RRULE:', DAILY], [DAILY]],
    ['a part given twice alike counts once', ['RRULE:FREQ=DAILY;COUNT=5;FREQ=DAILY'], [DAILY]],
    [
      'dates under the name of a rule',
      [DAILY, 'RRULE:DATE;TZID=Europe/Warsaw:20260310T150000,20260311T150000'],
      [DAILY, 'RDATE;TZID=Europe/Warsaw:20260310T150000,20260311T150000'],
    ],
    ['a zone that is an offset', [DAILY, 'EXDATE;TZID=GMT+01:00:20260303T150000'], [DAILY, 'EXDATE:20260303T140000Z']],
    ['a zone west of Greenwich', [DAILY, 'EXDATE;TZID="UTC-5":20260303T090000'], [DAILY, 'EXDATE:20260303T140000Z']],
    [
      'a Windows zone',
      [DAILY, 'EXDATE;TZID=Eastern Standard Time:20260303T090000'],
      [DAILY, 'EXDATE;TZID=Eastern Standard Time:20260303T090000'],
    ],
    ['an excluded date has no effect', [DAILY, 'EXDATE;VALUE=DATE:20260303'], [DAILY]],
    ['nor beside one with a time', [DAILY, 'EXDATE:20260303,20260304T140000Z'], [DAILY, 'EXDATE:20260304T140000Z']],
    [
      'once a year in the month of the start',
      ['RRULE:FREQ=YEARLY;BYMONTHDAY=2'],
      ['RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=2'],
    ],
    [
      'a month that is named',
      ['RRULE:FREQ=YEARLY;BYMONTHDAY=2;BYMONTH=3,4'],
      ['RRULE:FREQ=YEARLY;BYMONTHDAY=2;BYMONTH=3,4'],
    ],
    [
      'a start off the rule is an occurrence',
      ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=3'],
      ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=3', 'RDATE;TZID=America/New_York:20260302T090000'],
    ],
    [
      'a rule that ended before the start, with the midnight of the day before',
      ['RRULE:FREQ=WEEKLY;UNTIL=20260302T045959Z', 'EXDATE:20260309T130000Z'],
      ['RRULE:FREQ=WEEKLY;UNTIL=20260302T045959Z', 'EXDATE:20260309T130000Z'],
    ],
    ['one that ended with a date', ['RRULE:UNTIL=20260301;FREQ=WEEKLY'], ['RRULE:UNTIL=20260301;FREQ=WEEKLY']],
    [
      'one that ends with the start, and does not produce it',
      ['RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20260302T140000Z'],
      ['RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20260302T140000Z', 'RDATE;TZID=America/New_York:20260302T090000'],
    ],
  ])('%s', (_name, lines, expected) => {
    expect(readRecurrence(lines, TIMED)).toEqual({ lines: expected, unreadable: [] });
    // Read again, as after a write of what was read, nothing is added.
    expect(readRecurrence(expected, TIMED).lines).toEqual(expected);
  });

  test.each([
    ['RRULE:FREQ=DAILY;BYDAY=MO;BYDAY=TU', 'BYDAY: is given twice'],
    ['RRULE:FREQ=FORTNIGHTLY', 'FREQ: '],
    ['EXDATE;TZID=Mars/Olympus:20260303T090000', 'EXDATE: "Mars/Olympus" is no known time zone'],
    ['EXDATE:yesterday', 'EXDATE: '],
    ['X-GOOGLE-THING:1', 'X-GOOGLE-THING: '],
    ['garbage', 'garbage: has no value'],
  ])('%s costs that line alone', (line, reason) => {
    const { lines, unreadable } = readRecurrence([line, DAILY], TIMED);
    expect(lines).toEqual([DAILY]);
    const part = line === 'garbage' ? 'a line' : reason.split(':', 1)[0];
    expect(unreadable).toEqual([{ line, part, reason: expect.stringContaining(reason) }]);
  });

  test('a series without a readable line has its start alone', () => {
    const { lines } = readRecurrence(['RRULE:FREQ=FORTNIGHTLY'], TIMED);
    expect(lines).toEqual(['RDATE;TZID=America/New_York:20260302T090000']);
    expect(compileSeries({ ...TIMED, lines }).last()?.startMs).toBe(Date.UTC(2026, 2, 2, 14));
  });
});

describe('lines of an all-day series', () => {
  test.each([
    [
      'dates with times',
      ['RRULE:FREQ=DAILY', 'EXDATE;TZID=Europe/Helsinki:20260304T000000'],
      ['RRULE:FREQ=DAILY', 'EXDATE;VALUE=DATE:20260304'],
    ],
    [
      'dates under the name of a rule',
      ['RRULE:DATE;TZID=Europe/Warsaw:20260818T020000'],
      ['RDATE;VALUE=DATE:20260818'],
    ],
    ['dates with a Z', ['RDATE:20260818Z'], ['RDATE;VALUE=DATE:20260818']],
    ['an unknown zone does not matter', ['RDATE;TZID=Mars/Olympus:20260818T000000'], ['RDATE;VALUE=DATE:20260818']],
    [
      'a start off the rule',
      ['RRULE:FREQ=WEEKLY;BYDAY=TU'],
      ['RRULE:FREQ=WEEKLY;BYDAY=TU', 'RDATE;VALUE=DATE:20260302'],
    ],
    ['a rule that ended before the start', ['RRULE:FREQ=DAILY;UNTIL=20260301'], ['RRULE:FREQ=DAILY;UNTIL=20260301']],
    [
      'a birthday',
      ['RRULE:FREQ=YEARLY;WKST=MO;INTERVAL=1;BYMONTHDAY=2'],
      ['RRULE:FREQ=YEARLY;WKST=MO;INTERVAL=1;BYMONTH=3;BYMONTHDAY=2'],
    ],
  ])('%s', (_name, lines, expected) => {
    expect(readRecurrence(lines, ALL_DAY)).toEqual({ lines: expected, unreadable: [] });
  });
});

test('a yearly rule means the same after it went to Google and came back', () => {
  const series = { start: { dateTime: '2026-03-02T00:00:00', timeZone: '' }, isAllDay: true };
  const starts = (lines: readonly string[]) =>
    compileSeries({ ...ALL_DAY, lines })
      .occurrences({ from: 0, to: Date.UTC(2036, 0, 1) })
      .map(({ startMs }) => startMs);
  for (const rule of [
    'RRULE:FREQ=YEARLY;BYMONTHDAY=2',
    'RRULE:FREQ=YEARLY;BYMONTHDAY=2,-1;BYSETPOS=3',
    'RRULE:FREQ=YEARLY;INTERVAL=2;BYDAY=MO,FR;BYMONTHDAY=2,13;COUNT=40',
    'RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=2',
    'RRULE:FREQ=YEARLY;BYDAY=1MO',
    'RRULE:FREQ=YEARLY;BYYEARDAY=61,62',
  ]) {
    const written = writeRecurrence([rule], series);
    const read = readRecurrence(written, ALL_DAY).lines;
    expect(starts(read.filter((line) => line.startsWith('RRULE'))), rule).toEqual(starts([rule]));
    expect(writeRecurrence(read, series), rule).toEqual(read);
  }
});
