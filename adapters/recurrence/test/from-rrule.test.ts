import rrule from 'rrule';
import { describe, expect, expectTypeOf, it, test } from 'vitest';
import { fromRRule, type RRuleLike, type RRuleSetLike } from '../src/index.ts';

const { RRule, RRuleSet, rrulestr, datetime } = rrule;

const START = datetime(2026, 1, 5, 9);

test("rrule's classes have the structural types", () => {
  expectTypeOf<InstanceType<typeof RRule>>().toExtend<RRuleLike>();
  expectTypeOf<InstanceType<typeof RRuleSet>>().toExtend<RRuleSetLike>();
});

describe('the zone of the local times in the UTC fields', () => {
  const options = { freq: RRule.DAILY, dtstart: START, until: datetime(2026, 1, 6, 9) };

  it.each([
    ['tzid', new RRule({ ...options, tzid: 'America/Denver' }), {}, '2026-01-06T09:00:00-07:00'],
    ['the option, without a tzid', new RRule(options), { timeZone: 'Europe/Kyiv' }, '2026-01-06T09:00:00+02:00'],
    ['UTC without either', new RRule(options), {}, '2026-01-06T09:00:00+00:00'],
    ['none with null', new RRule(options), { timeZone: null }, '2026-01-06T09:00:00'],
    [
      'tzid before the option',
      new RRule({ ...options, tzid: 'America/Denver' }),
      { timeZone: 'Europe/Kyiv' },
      '2026-01-06T09:00:00-07:00',
    ],
  ])('%s', (_name, rule, given, last) => {
    expect(fromRRule(rule, given).as('iso').all()).toHaveLength(2);
    expect(fromRRule(rule, given).as('iso').last()).toBe(last);
  });
});

test.each([
  [
    { freq: RRule.WEEKLY, byweekday: [RRule.MO, RRule.FR], wkst: RRule.SU, interval: 2 },
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;WKST=SU',
  ],
  [{ freq: RRule.MONTHLY, byweekday: RRule.FR.nth(-1) }, 'FREQ=MONTHLY;BYDAY=-1FR'],
  [{ freq: RRule.MONTHLY, byweekday: [0, 4], bysetpos: -1, wkst: 6 }, 'FREQ=MONTHLY;BYDAY=MO,FR;BYSETPOS=-1;WKST=SU'],
  [{ freq: RRule.WEEKLY, byweekday: ['TU', 'TH'] as const, count: 3 }, 'FREQ=WEEKLY;COUNT=3;BYDAY=TU,TH'],
  [
    { freq: RRule.YEARLY, bymonth: [1, 2], bymonthday: [-1, 15], byhour: 8, byminute: [0, 30], bysecond: 5 },
    'FREQ=YEARLY;BYSECOND=5;BYMINUTE=0,30;BYHOUR=8;BYMONTHDAY=-1,15;BYMONTH=1,2',
  ],
  [{ freq: RRule.YEARLY, byyearday: 100, byweekno: 15 }, 'FREQ=YEARLY;BYYEARDAY=100;BYWEEKNO=15'],
  [{ freq: RRule.DAILY, bymonth: [], byhour: null, until: datetime(2026, 3, 1) }, 'FREQ=DAILY;UNTIL=20260301T000000Z'],
])('%j', (options, text) => {
  const rule = new RRule({
    ...options,
    byweekday: 'byweekday' in options ? [options.byweekday].flat() : null,
    dtstart: START,
  });
  expect(fromRRule(rule).lines).toEqual([`RRULE:${text}`]);
  expect(fromRRule(rule).all(20)).toEqual(rule.all((_date, index) => index < 20));
});

describe('sets', () => {
  it('rules, exception rules and dates', () => {
    const set = rrulestr(
      'DTSTART;TZID=America/New_York:20260105T090000\nRRULE:FREQ=DAILY;COUNT=6\nRDATE:20260201T120000\nEXDATE:20260106T090000\nEXRULE:FREQ=WEEKLY;BYDAY=FR',
    );
    expect(fromRRule(set).as('iso').all()).toEqual([
      '2026-01-05T09:00:00-05:00',
      '2026-01-07T09:00:00-05:00',
      '2026-01-08T09:00:00-05:00',
      '2026-01-10T09:00:00-05:00',
      '2026-02-01T12:00:00-05:00',
    ]);
  });

  it('of dates alone begin at the first', () => {
    const set = new RRuleSet();
    set.tzid('Asia/Tokyo');
    set.rdate(datetime(2026, 2, 1, 9));
    set.rdate(datetime(2026, 1, 1, 9));
    expect(fromRRule(set).as('iso').all()).toEqual(['2026-01-01T09:00:00+09:00', '2026-02-01T09:00:00+09:00']);
  });

  it('rules that start at other times are listed, where they end', () => {
    const set = new RRuleSet();
    set.rrule(new RRule({ freq: RRule.WEEKLY, dtstart: START, count: 3 }));
    set.rrule(new RRule({ freq: RRule.DAILY, dtstart: datetime(2026, 1, 6, 12), count: 2 }));
    set.exrule(new RRule({ freq: RRule.WEEKLY, dtstart: datetime(2026, 1, 12, 9), count: 1 }));
    expect(fromRRule(set).all()).toEqual(set.all());
    expect(fromRRule(set).lines).toEqual([
      'RRULE:FREQ=WEEKLY;COUNT=3',
      'RDATE:20260106T120000Z,20260107T120000Z',
      'EXDATE:20260112T090000Z',
    ]);
  });

  it('leave out skipped times of such rules too', () => {
    const set = new RRuleSet();
    const tzid = 'America/New_York';
    set.rrule(new RRule({ freq: RRule.WEEKLY, dtstart: datetime(2026, 3, 2, 9), count: 1, tzid }));
    set.rrule(new RRule({ freq: RRule.DAILY, dtstart: datetime(2026, 3, 7, 2, 30), count: 2, tzid }));
    expect(fromRRule(set, { gap: 'skip' }).as('local').all()).toEqual([
      '2026-03-02T09:00:00',
      '2026-03-07T02:30:00',
      '2026-03-09T02:30:00',
    ]);
    expect(fromRRule(set).as('local').all()).toContain('2026-03-08T03:30:00');
  });

  it.each([
    [
      'endless rules',
      { freq: RRule.DAILY, dtstart: datetime(2026, 1, 6) },
      'rrules: a rule without an end starts at 2026-01-06T00:00:00, the first one at 2026-01-05T09:00:00',
    ],
    [
      'long rules',
      { freq: RRule.DAILY, dtstart: datetime(2026, 1, 6), count: 10_001 },
      'rrules: more than 10000 dates of a rule that starts at 2026-01-06T00:00:00',
    ],
    [
      'two zones',
      { freq: RRule.DAILY, dtstart: START, tzid: 'Asia/Tokyo' },
      'tzid: rules of a set have one zone; these have America/New_York and Asia/Tokyo',
    ],
  ])('refuse %s', (_name, options, message) => {
    const set = new RRuleSet();
    set.rrule(new RRule({ freq: RRule.WEEKLY, dtstart: START, tzid: 'America/New_York' }));
    set.rrule(new RRule({ tzid: 'America/New_York', ...options }));
    expect(() => fromRRule(set)).toThrow(message);
  });

  it('refuse to be empty or nested', () => {
    expect(() => fromRRule(new RRuleSet())).toThrow('rrules: is empty, and so is rdates');
    const [inner, nested] = [new RRuleSet(), new RRuleSet()];
    inner.rrule(new RRule({ freq: RRule.DAILY, dtstart: START }));
    inner.rrule(new RRule({ freq: RRule.WEEKLY, dtstart: START }));
    nested.rrule(inner);
    expect(() => fromRRule(nested)).toThrow('rrules: a set within a set is not supported');
  });
});

test.each([
  [{ options: { freq: 9, dtstart: START }, origOptions: {} }, "freq: 9 is none of rrule's"],
  [{ options: { freq: 1, dtstart: START }, origOptions: { byeaster: 1 } }, 'byeaster: is not supported'],
  [{ options: { freq: 1, dtstart: START }, origOptions: { byweekday: [7] } }, 'byweekday: 7 is no weekday of rrule'],
  [{ options: { freq: 1, dtstart: new Date(Number.NaN) }, origOptions: {} }, 'rrule: has an invalid Date'],
])('%#: refused with %s', (rule, message) => {
  expect(() => fromRRule(rule)).toThrow(message);
});
