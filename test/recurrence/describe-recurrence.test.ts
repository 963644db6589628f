import { describeRecurrence } from 'kalends/recurrence';
import { expect, test } from 'vitest';

test.each([
  [['RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=8'], 'every week on Monday, Wednesday for 8 times'],
  [['FREQ=DAILY'], 'every day'],
  [['RRULE:FREQ=DAILY;INTERVAL=2;UNTIL=20261224T000000Z'], 'every 2 days until December 24, 2026'],
  [['RRULE:FREQ=MONTHLY;BYDAY=-1FR'], 'every month on the last Friday'],
  [['RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU'], 'every March on the 2nd Sunday'],
  [['RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1'], 'every month on weekdays (BYSETPOS=-1)'],
  [['RRULE:FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO'], 'every year on Monday in week 20'],
  [['RRULE:FREQ=MINUTELY;INTERVAL=15'], 'every 15 minutes'],
  [['RRULE:FREQ=MINUTELY;INTERVAL=15;BYHOUR=9,10'], 'every 15 minutes (BYHOUR=9,10)'],
  [['RRULE:FREQ=SECONDLY;INTERVAL=30;COUNT=2'], 'every 30 seconds for 2 times'],
  [['RRULE:FREQ=DAILY;BYDAY=MO;BYHOUR=9,17'], 'every day on Monday (BYHOUR=9,17)'],
  [['RRULE:FREQ=DAILY', 'EXDATE;VALUE=DATE:20260302'], 'every day; except on 2026-03-02'],
  [['RRULE:FREQ=DAILY', 'RDATE:20260302T090000Z'], 'every day; and on 2026-03-02 09:00:00 UTC'],
  [['RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY;BYDAY=SU'], 'every day; except every week on Sunday'],
  [['RDATE;TZID=Europe/Kyiv:20260302T090000'], 'on 2026-03-02 09:00:00'],
  [[], ''],
])('%s', (lines, words) => {
  expect(describeRecurrence(lines)).toBe(words);
});

test('a rule without end is put into words at once', () => {
  expect(describeRecurrence(['RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30'])).toBe(
    'every second (BYMONTHDAY=30, BYMONTH=2)',
  );
});

test('a rule that cannot be read is an error', () => {
  expect(() => describeRecurrence(['RRULE:FREQ=NEVER'])).toThrow('FREQ');
});
