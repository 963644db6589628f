import fc from 'fast-check';

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, index) => from + index).join(',');
const number = (min, max) => fc.integer({ min, max }).map(String);
const list = (min, max, length) =>
  fc
    .array(
      fc.integer({ min, max }).filter((value) => value !== 0 || min === 0),
      { minLength: 1, maxLength: length },
    )
    .map((values) => values.join(','));
const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU');
const weekdays = fc
  .array(fc.tuple(fc.constantFrom('', '', '1', '-1', '5', '-5', '53', '-53'), weekday), { minLength: 1, maxLength: 5 })
  .map((days) => days.map((day) => day.join('')).join(','));

/** Parts made to be slow: never met, met once in centuries, met by almost every second, counted into the millions. */
const part = fc.oneof(
  fc.tuple(
    fc.constant('INTERVAL'),
    fc.oneof(number(1, 100), number(1, 100_000), fc.constantFrom('7', '86399', '86400', '86401', '1000000000')),
  ),
  fc.tuple(fc.constant('COUNT'), fc.oneof(number(1, 1000), number(1_000_000, 1_000_000_000))),
  fc.tuple(
    fc.constant('UNTIL'),
    fc.constantFrom('99991231T235959Z', '20260101', '18000101T000000Z', '20400229T120000'),
  ),
  fc.tuple(fc.constant('BYMONTH'), list(1, 12, 4)),
  fc.tuple(fc.constant('BYMONTHDAY'), fc.oneof(list(-31, 31, 8), fc.constantFrom('30', '31', '29,30', '-30,-31'))),
  fc.tuple(fc.constant('BYYEARDAY'), fc.oneof(list(-366, 366, 8), fc.constantFrom('366', '-366'))),
  fc.tuple(fc.constant('BYWEEKNO'), fc.oneof(list(-53, 53, 8), fc.constantFrom('53', '-53'))),
  fc.tuple(fc.constant('BYDAY'), weekdays),
  fc.tuple(fc.constant('BYHOUR'), fc.oneof(list(0, 23, 8), fc.constantFrom(range(0, 23), '2', '3'))),
  fc.tuple(fc.constant('BYMINUTE'), fc.oneof(list(0, 59, 20), fc.constantFrom(range(0, 59), range(0, 30), '19'))),
  fc.tuple(fc.constant('BYSECOND'), fc.oneof(list(0, 60, 20), fc.constantFrom(range(0, 58), range(0, 29), '1'))),
  fc.tuple(fc.constant('BYSETPOS'), fc.oneof(list(-366, 366, 20), fc.constantFrom('-1', '366', '-366', '1'))),
  fc.tuple(fc.constant('WKST'), weekday),
);

/** Rules of under 200 characters that combine such parts. */
export const hostileRule = fc
  .tuple(
    fc.constantFrom('YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'),
    fc.uniqueArray(part, { selector: ([name]) => name, maxLength: 6 }),
  )
  .map(([freq, parts]) => `FREQ=${freq}${parts.map(([name, value]) => `;${name}=${value}`).join('')}`)
  .filter((rule) => rule.length < 200);

/** Rules that other expanders hang on or crawl through. */
export const NAMED = [
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31;BYMONTH=4',
  'FREQ=WEEKLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MINUTELY;INTERVAL=2;BYMINUTE=19',
  'FREQ=MINUTELY;INTERVAL=1440;BYHOUR=3',
  'FREQ=SECONDLY;INTERVAL=2;BYSECOND=1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59',
  'FREQ=HOURLY;INTERVAL=168;BYDAY=SU',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU',
  'FREQ=YEARLY;INTERVAL=400;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO',
  'FREQ=YEARLY;BYDAY=53MO;BYYEARDAY=1',
  'FREQ=YEARLY;INTERVAL=1000000000',
  'FREQ=DAILY;INTERVAL=1000000000;BYMONTHDAY=31',
  'FREQ=SECONDLY;INTERVAL=7;COUNT=50000000;BYMINUTE=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39',
  `FREQ=SECONDLY;COUNT=223467895;BYSECOND=${range(0, 29)}`,
  'FREQ=DAILY;COUNT=1000000000;BYDAY=MO',
  `FREQ=YEARLY;BYMINUTE=${range(0, 59)};BYSETPOS=-1`,
];
