// Questions with known answers, where implementations differ. RFC 5545 gives the answers, or the definition by which the reason is
// named; the examples of the RFC itself are in test/rfc5545. `test/recurrence/bench-cases.test.ts` asks ours.
const NEW_YORK = 'America/New_York';

/** A window `[from, to)` of days in UTC, and the starts in it. */
const clock = (name, zone, dtstart, rule, wanted) => {
  const days = wanted.map((text) => Date.parse(text));
  const [from, to] = [Math.min(...days) - 43_200_000, Math.max(...days) + 1_000];
  return { name, zone, dtstart, rule, from, to, wanted };
};

/** The same, where the start of this index lies in a gap. */
const gapAt =
  (index) =>
  (...parts) => {
    const each = clock(...parts);
    return { ...each, leftOut: each.wanted.filter((_start, place) => place !== index) };
  };

/**
 * Windows over a change of the clocks. An ambiguous time is the first (§3.3.5). A time in a gap is shifted by the offset before it, by
 * §3.3.5, or left out, by §3.3.10: `leftOut` is that answer, and either is right.
 */
export const CLOCK_CHANGES = [
  gapAt(1)('02:30 in the gap of New York', NEW_YORK, '2026-01-01T02:30:00', 'FREQ=DAILY', [
    '2026-03-07T02:30:00-05:00',
    '2026-03-08T03:30:00-04:00',
    '2026-03-09T02:30:00-04:00',
  ]),
  clock('01:30 in the overlap of New York', NEW_YORK, '2026-01-01T01:30:00', 'FREQ=DAILY', [
    '2026-10-31T01:30:00-04:00',
    '2026-11-01T01:30:00-04:00',
    '2026-11-02T01:30:00-05:00',
  ]),
  clock('09:00 over both changes of New York', NEW_YORK, '2026-01-04T09:00:00', 'FREQ=WEEKLY', [
    '2026-03-01T09:00:00-05:00',
    '2026-03-08T09:00:00-04:00',
    '2026-03-15T09:00:00-04:00',
  ]),
  gapAt(1)('02:15 in the half-hour gap of Lord Howe', 'Australia/Lord_Howe', '2026-01-01T02:15:00', 'FREQ=DAILY', [
    '2026-10-03T02:15:00+10:30',
    '2026-10-04T02:45:00+11:00',
    '2026-10-05T02:15:00+11:00',
  ]),
  gapAt(1)('01:30 in the gap of Dublin', 'Europe/Dublin', '2026-01-01T01:30:00', 'FREQ=DAILY', [
    '2026-03-28T01:30:00+00:00',
    '2026-03-29T02:30:00+01:00',
    '2026-03-30T01:30:00+01:00',
  ]),
  gapAt(1)('02:30 after Ramadan in Casablanca', 'Africa/Casablanca', '2026-01-01T02:30:00', 'FREQ=DAILY', [
    '2026-03-21T02:30:00+00:00',
    '2026-03-22T03:30:00+01:00',
    '2026-03-23T02:30:00+01:00',
  ]),
  gapAt(1)('midnight in the gap of Cairo', 'Africa/Cairo', '2026-01-01T00:00:00', 'FREQ=DAILY', [
    '2026-04-23T00:00:00+02:00',
    '2026-04-24T01:00:00+03:00',
    '2026-04-25T00:00:00+03:00',
  ]),
  gapAt(0)('a start in the gap itself', NEW_YORK, '2026-03-08T02:30:00', 'FREQ=DAILY', [
    '2026-03-08T03:30:00-04:00',
    '2026-03-09T02:30:00-04:00',
  ]),
  clock('the 30 December 2011 that Apia left out', 'Pacific/Apia', '2011-12-01T09:00:00', 'FREQ=DAILY', [
    '2011-12-29T09:00:00-10:00',
    '2011-12-31T09:00:00+14:00',
    '2012-01-01T09:00:00+14:00',
  ]),
  clock('every hour through a gap', NEW_YORK, '2026-03-08T00:30:00', 'FREQ=HOURLY', [
    '2026-03-08T00:30:00-05:00',
    '2026-03-08T01:30:00-05:00',
    '2026-03-08T03:30:00-04:00',
    '2026-03-08T04:30:00-04:00',
  ]),
  clock('an UNTIL in UTC after the change', NEW_YORK, '2026-03-06T09:00:00', 'FREQ=DAILY;UNTIL=20260309T130000Z', [
    '2026-03-07T09:00:00-05:00',
    '2026-03-08T09:00:00-04:00',
    '2026-03-09T09:00:00-04:00',
  ]),
];

const utc = (...parts) => Date.UTC(...parts);
const years = (from, to) => ({ zone: 'UTC', from: utc(from, 0, 1), to: utc(to, 0, 1) });
const nine = (...dates) => dates.map((date) => `${date}T09:00:00+00:00`);

/** Rules whose answer follows from the definitions of §3.3.10. */
export const HARD_RULES = [
  {
    name: 'a place before the beginning of the set',
    rule: 'FREQ=MONTHLY;BYMONTHDAY=3;BYSETPOS=-3',
    wanted: [],
    ...years(2026, 2027),
  },
  {
    name: 'a slot that BYSETPOS names twice',
    rule: 'FREQ=YEARLY;BYMONTHDAY=3;BYMONTH=4;BYSETPOS=1,-1',
    wanted: nine('2026-04-03'),
    ...years(2026, 2027),
  },
  { name: '30 February', rule: 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', wanted: [], ...years(2026, 2027) },
  { name: 'odd minutes in even steps', rule: 'FREQ=MINUTELY;INTERVAL=2;BYMINUTE=19', wanted: [], ...years(2026, 2027) },
  {
    name: 'steps of 24 minutes in one hour',
    dtstart: '2026-06-01T02:11:07',
    rule: 'FREQ=MINUTELY;INTERVAL=24;BYHOUR=2',
    zone: 'UTC',
    from: utc(2026, 5, 1),
    to: utc(2026, 5, 3),
    wanted: ['01T02:11', '01T02:35', '01T02:59', '02T02:11', '02T02:35', '02T02:59'].map(
      (at) => `2026-06-${at}:07+00:00`,
    ),
  },
  {
    name: 'day 30 of February and May',
    dtstart: '2020-01-30T09:00:00',
    rule: 'FREQ=YEARLY;BYMONTH=2,5',
    wanted: nine('2026-05-30', '2027-05-30'),
    ...years(2026, 2028),
  },
  {
    name: 'the 53rd Monday of a year',
    rule: 'FREQ=YEARLY;BYDAY=53MO',
    wanted: nine('2024-12-30', '2029-12-31', '2035-12-31'),
    ...years(2021, 2036),
  },
  {
    name: 'the fifth last Friday of a month',
    rule: 'FREQ=MONTHLY;BYDAY=-5FR',
    wanted: nine('2026-01-02', '2026-05-01', '2026-07-03', '2026-10-02'),
    ...years(2026, 2027),
  },
  {
    name: 'an hour given twice',
    rule: 'FREQ=DAILY;BYHOUR=9,9;UNTIL=20260102T235959Z',
    dtstart: '2026-01-01T09:00:00',
    wanted: nine('2026-01-01', '2026-01-02'),
    ...years(2026, 2027),
  },
  {
    name: 'Thursdays and the fifth Friday',
    rule: 'FREQ=MONTHLY;BYMONTH=1;BYDAY=TH,5FR',
    wanted: nine('2026-01-01', '2026-01-08', '2026-01-15', '2026-01-22', '2026-01-29', '2026-01-30'),
    ...years(2026, 2027),
  },
  {
    name: 'BYSETPOS in the week of the start',
    dtstart: '2026-01-07T09:00:00',
    rule: 'FREQ=WEEKLY;BYDAY=MO,TH;BYSETPOS=1;COUNT=2',
    wanted: nine('2026-01-12', '2026-01-19'),
    ...years(2026, 2027),
  },
  {
    name: 'a week number alone',
    dtstart: '2020-01-06T09:00:00',
    rule: 'FREQ=YEARLY;BYWEEKNO=3',
    wanted: nine('2026-01-12', '2027-01-18'),
    ...years(2026, 2028),
  },
  {
    name: 'the Sunday of week 53',
    rule: 'FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU',
    wanted: nine('2021-01-03', '2027-01-03'),
    ...years(2021, 2028),
  },
  {
    name: '29 February over the year 2100',
    dtstart: '2020-02-29T09:00:00',
    rule: 'FREQ=YEARLY',
    wanted: nine('2096-02-29', '2104-02-29'),
    ...years(2094, 2106),
  },
].map((each) => ({ dtstart: '2020-01-01T09:00:00', ...each }));

/** Rules that RFC 5545 rules out; an implementation has to say so rather than to answer. */
export const INVALID_RULES = [
  'FREQ=DAILY;BYMONTH=13',
  'FREQ=DAILY;BYHOUR=25',
  'FREQ=DAILY;INTERVAL=0',
  'FREQ=DAILY;INTERVAL=-1',
  'FREQ=WEEKLY;BYDAY=XX',
  'FREQ=MONTHLY;BYDAY=0MO',
  'FREQ=MONTHLY;BYMONTHDAY=32',
  'FREQ=DAILY;BYMINUTE=60',
  'FREQ=FORTNIGHTLY',
  'INTERVAL=2',
].map((rule) => ({ name: rule, zone: 'UTC', dtstart: '2026-01-01T09:00:00', rule, refused: true, from: 0, to: 0 }));
