import { describeRecurrence, type Language } from 'kalends/describe';
import { expect, test } from 'vitest';

test.each([
  ['FREQ=DAILY', 'every day'],
  ['FREQ=DAILY;COUNT=1', 'once'],
  ['FREQ=DAILY;COUNT=1;UNTIL=20200101', 'every day, once, until January 1, 2020'],
  ['FREQ=WEEKLY;BYDAY=MO;COUNT=1', 'every week on Monday, once'],
  ['FREQ=WEEKLY;COUNT=2', 'every week, twice'],
  ['FREQ=WEEKLY;BYDAY=MO,WE;COUNT=8', 'every week on Monday and Wednesday, 8 times'],
  ['FREQ=WEEKLY;BYDAY=WE,MO,MO', 'every week on Monday and Wednesday'],
  ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'every weekday'],
  ['FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR', 'every weekday'],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU,WE,TH,FR', 'every 2 weeks on weekdays'],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;WKST=SU', 'every 2 weeks on Tuesday, in weeks that begin on Sunday'],
  ['FREQ=WEEKLY;BYDAY=TU;WKST=SU', 'every week on Tuesday'],
  ['FREQ=DAILY;BYDAY=SU', 'every Sunday'],
  ['FREQ=DAILY;INTERVAL=2;BYDAY=SU', 'every 2 days if it is a Sunday'],
  ['FREQ=DAILY;BYMONTHDAY=1,15', 'every day if it is the 1st or 15th of the month'],
  ['FREQ=DAILY;BYMONTH=1', 'every day in January'],
  ['FREQ=DAILY;INTERVAL=2;UNTIL=20261224', 'every 2 days until December 24, 2026'],
  ['FREQ=DAILY;UNTIL=20261224T225959Z', 'every day until December 24, 2026 at 22:59:59 UTC'],
  ['FREQ=DAILY;COUNT=3;UNTIL=20261224', 'every day, 3 times, until December 24, 2026'],
  ['FREQ=MONTHLY', 'every month'],
  ['FREQ=MONTHLY;BYMONTHDAY=-1', 'every month on the last day'],
  ['FREQ=MONTHLY;BYMONTHDAY=15,1,-2', 'every month on the 1st, 15th and 2nd to last day'],
  ['FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR', 'every month on the 13th if it is a Friday'],
  ['FREQ=MONTHLY;BYDAY=-1FR', 'every month on the last Friday'],
  ['FREQ=MONTHLY;BYDAY=1MO,3MO,2TU', 'every month on the 1st and 3rd Monday and the 2nd Tuesday'],
  ['FREQ=MONTHLY;BYDAY=MO', 'every month on every Monday'],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', 'every month on the last weekday'],
  ['FREQ=MONTHLY;BYDAY=SU,MO,TU,WE,TH,FR,SA;BYSETPOS=1,-1', 'every month on the 1st and last day'],
  ['FREQ=MONTHLY;BYDAY=TU,TH;BYSETPOS=3', 'every month on the 3rd Tuesday or Thursday'],
  ['FREQ=MONTHLY;INTERVAL=3;BYDAY=2WE;BYMONTH=1,7', 'every 3 months in January and July on the 2nd Wednesday'],
  [
    'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1',
    'every month on the 28th, 29th, 30th and 31st, only the last of these each month',
  ],
  ['FREQ=YEARLY', 'every year'],
  ['FREQ=YEARLY;BYMONTH=3', 'every year in March'],
  ['FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=8', 'every year on March 8'],
  ['FREQ=YEARLY;BYMONTH=1,6;BYMONTHDAY=1,-1', 'every year on the 1st and last day of January and June'],
  ['FREQ=YEARLY;BYMONTHDAY=15', 'every year on the 15th of every month'],
  ['FREQ=YEARLY;BYMONTH=3;BYDAY=2SU', 'every year on the 2nd Sunday of March'],
  ['FREQ=YEARLY;BYMONTH=3;BYDAY=SU', 'every year in March on every Sunday'],
  ['FREQ=YEARLY;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4', 'every year on November 2, 3 and 4 if it is a Tuesday'],
  ['FREQ=YEARLY;BYMONTH=10;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1', 'every year on the 1st weekday of October'],
  ['FREQ=YEARLY;BYDAY=20MO', 'every year on the 20th Monday of the year'],
  ['FREQ=YEARLY;BYYEARDAY=1,100,-1', 'every year on the 1st, 100th and last day of the year'],
  ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', 'every year on Monday of week 20'],
  ['FREQ=YEARLY;BYWEEKNO=20', 'every year in week 20'],
  ['FREQ=YEARLY;BYWEEKNO=20,-1', 'every year in week 20 and the last week of the year'],
  ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO,TU,WE,TH,FR', 'every year on every weekday of week 20'],
  ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO,TU,WE,TH,FR,SA,SU', 'every year on every day of week 20'],
  ['FREQ=YEARLY;BYWEEKNO=1,-1;BYDAY=MO,FR', 'every year on Monday and Friday of week 1 and the last week of the year'],
  ['FREQ=DAILY;BYHOUR=9,10;BYMINUTE=30', 'every day at 09:30 and 10:30'],
  ['FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0,30', 'every day at 09:00:00 and 09:00:30'],
  ['FREQ=DAILY;BYDAY=MO;BYHOUR=9,17', 'every Monday in the hours of 09:00 and 17:00'],
  ['FREQ=DAILY;BYHOUR=9,10,11', 'every day in each hour from 09:00 to 11:59'],
  ['FREQ=DAILY;BYMINUTE=30', 'every day at minute 30'],
  ['FREQ=HOURLY;BYMINUTE=0,30', 'every hour at minutes 0 and 30'],
  ['FREQ=MINUTELY;INTERVAL=15', 'every 15 minutes'],
  ['FREQ=MINUTELY;INTERVAL=15;BYHOUR=9,10', 'every 15 minutes in the hours of 09:00 and 10:00'],
  ['FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12', 'every 20 minutes from 09:00 to 12:59'],
  ['FREQ=SECONDLY;INTERVAL=30;COUNT=2', 'every 30 seconds, twice'],
  ['FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30', 'every second in February if it is the 30th of the month'],
  [
    'FREQ=MONTHLY;BYDAY=11MO,12MO,13MO,-21TU',
    'every month on the 11th, 12th and 13th Monday and the 21st to last Tuesday',
  ],
])('%s', (rule, words) => {
  expect(describeRecurrence([`RRULE:${rule}`])).toBe(words);
});

test.each([
  [['RRULE:FREQ=DAILY', 'EXDATE;VALUE=DATE:20260302'], 'every day; except on March 2, 2026'],
  [['RRULE:FREQ=DAILY', 'RDATE:20260302T090000Z'], 'every day; and on March 2, 2026 at 09:00 UTC'],
  [['RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY;BYDAY=SU'], 'every day; except every week on Sunday'],
  [['RRULE:FREQ=DAILY', 'RRULE:FREQ=MONTHLY'], 'every day; and every month'],
  [['RDATE;TZID=Europe/Kyiv:20260302T090000'], 'on March 2, 2026 at 09:00 (Europe/Kyiv)'],
  [
    ['RDATE;VALUE=PERIOD:20260302T090000Z/PT1H30M,20260303T090000Z/20260303T100000Z'],
    'on March 2, 2026 at 09:00 UTC for 90 minutes and March 3, 2026 at 09:00 UTC to March 3, 2026 at 10:00 UTC',
  ],
  [['FREQ=DAILY'], 'every day'],
  [[], ''],
])('%j', (lines, words) => {
  expect(describeRecurrence(lines)).toBe(words);
});

test('of many dates, the first are listed and the others counted', () => {
  const dates = Array.from({ length: 2_000 }, (_, index) => `2026${String((index % 12) + 1).padStart(2, '0')}01`);
  expect(describeRecurrence([`EXDATE;VALUE=DATE:${dates.join(',')}`])).toMatch(
    /^except on January 1, 2026, .* and 1980 more$/,
  );
});

test('a rule that cannot be read is an error', () => {
  expect(() => describeRecurrence(['RRULE:FREQ=NEVER'])).toThrow('FREQ');
});

test('another language has its own words and grammar', () => {
  const latin: Language = {
    rule: ({ freq }) => (freq === 'DAILY' ? 'cotidie' : 'aliquando'),
    recurrence: ({ rules, exceptionDates }) =>
      [...rules, ...(exceptionDates.length > 0 ? [`praeter dies ${exceptionDates.length}`] : [])].join(', '),
  };
  expect(describeRecurrence(['FREQ=DAILY', 'EXDATE:20260302T090000Z,20260303T090000Z'], latin)).toBe(
    'cotidie, praeter dies 2',
  );
});
