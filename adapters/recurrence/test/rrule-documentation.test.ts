import rrule from 'rrule';
import { describe, expect, it, test } from 'vitest';
import { fromRRule, parseRecurrence, recurrence } from '../src/index.ts';

/*
 * The cases that the documentation of rrule 2.8.1 shows, asked of both libraries: once taken over by `fromRRule`, once written as a
 * user of ours would. docs/from-rrule.md has the same table by name.
 */

const { RRule, RRuleSet, rrulestr, datetime } = rrule;

const FIVE_WEEKS = {
  rrule: new RRule({
    freq: RRule.WEEKLY,
    interval: 5,
    byweekday: [RRule.MO, RRule.FR],
    dtstart: datetime(2012, 2, 1, 10, 30),
    until: datetime(2012, 12, 31),
  }),
  ours: recurrence({
    start: '2012-02-01T10:30Z',
    rule: { freq: 'weekly', interval: 5, byDay: ['MO', 'FR'], until: '2012-12-31T00:00Z' },
  }),
};

describe('a rule by its options', () => {
  const { ours } = FIVE_WEEKS;

  it('all', () => {
    const seven = ['02-03', '03-05', '03-09', '04-09', '04-13', '05-14', '05-18'];
    expect(ours.all(7)).toEqual(seven.map((day) => new Date(`2012-${day}T10:30Z`)));
    expect(ours.all()).toEqual(FIVE_WEEKS.rrule.all());
    expect(fromRRule(FIVE_WEEKS.rrule).all()).toEqual(FIVE_WEEKS.rrule.all());
  });

  it('all with a test that ends it', () => {
    const isFirstTwo = (_date: Date, index: number) => index < 2;
    expect(ours.all(isFirstTwo)).toEqual(FIVE_WEEKS.rrule.all(isFirstTwo));
    expect(ours.all(isFirstTwo)).toHaveLength(2);
  });

  it('between', () => {
    const [august, september] = [datetime(2012, 8, 1), datetime(2012, 9, 1)];
    expect(ours.between(august, september)).toEqual([new Date('2012-08-27T10:30Z'), new Date('2012-08-31T10:30Z')]);
    expect(FIVE_WEEKS.rrule.between(august, september)).toEqual(ours.between(august, september));
    const [first, second] = [datetime(2012, 8, 27, 10, 30), datetime(2012, 8, 31, 10, 30)];
    for (const inc of [false, true]) {
      expect(ours.between(first, second, inc)).toEqual(FIVE_WEEKS.rrule.between(first, second, inc));
    }
    const isFirst = (_date: Date, index: number) => index < 1;
    expect(ours.between(august, september, false, isFirst)).toEqual(
      FIVE_WEEKS.rrule.between(august, september, false, isFirst),
    );
  });

  it.each([
    datetime(2012, 1, 1),
    datetime(2012, 2, 3, 10, 30),
    datetime(2012, 6, 1),
    datetime(2012, 12, 14, 10, 30),
    datetime(2013, 1, 1),
  ])('before and after %s', (date) => {
    for (const inc of [false, true]) {
      expect(ours.before(date, inc)).toEqual(FIVE_WEEKS.rrule.before(date, inc));
      expect(ours.after(date, inc)).toEqual(FIVE_WEEKS.rrule.after(date, inc));
    }
  });

  it('its text, read by either library', () => {
    expect(String(ours)).toBe(
      'DTSTART:20120201T103000Z\nRRULE:FREQ=WEEKLY;UNTIL=20121231T000000Z;INTERVAL=5;BYDAY=MO,FR',
    );
    expect(parseRecurrence(FIVE_WEEKS.rrule.toString()).all()).toEqual(ours.all());
    expect(rrulestr(String(ours)).all()).toEqual(ours.all());
  });
});

describe('a set', () => {
  const set = new RRuleSet();
  set.rrule(new RRule({ freq: RRule.MONTHLY, count: 5, dtstart: datetime(2012, 2, 1, 10, 30) }));
  set.rdate(datetime(2012, 7, 1, 10, 30));
  set.rdate(datetime(2012, 7, 2, 10, 30));
  set.exrule(new RRule({ freq: RRule.MONTHLY, count: 2, dtstart: datetime(2012, 3, 1, 10, 30) }));
  set.exdate(datetime(2012, 5, 1, 10, 30));
  const ours = fromRRule(set);

  it('all and between', () => {
    expect(ours.all()).toEqual(set.all());
    const [from, to] = [datetime(2012, 2, 1), datetime(2012, 6, 2)];
    expect(ours.between(from, to)).toEqual(set.between(from, to));
  });

  it('as a text, with what EXRULE and EXDATE leave', () => {
    const text =
      'DTSTART:20120201T023000Z\nRRULE:FREQ=MONTHLY;COUNT=5\nRDATE:20120701T023000Z,20120702T023000Z\nEXRULE:FREQ=MONTHLY;COUNT=2\nEXDATE:20120601T023000Z';
    expect(parseRecurrence(text).all()).toEqual(rrulestr(text).all());
    expect(fromRRule(rrulestr(text)).all()).toEqual(rrulestr(text).all());
  });

  it('with the start as an RDATE, which the rule does not produce', () => {
    const start = datetime(2012, 2, 1, 10, 30);
    const withStart = new RRuleSet();
    withStart.rrule(new RRule({ freq: RRule.MONTHLY, count: 5, bymonthday: 15, dtstart: start }));
    withStart.rdate(start);
    expect(fromRRule(withStart).all()).toEqual(withStart.all());
    const written = recurrence({ start, rule: { freq: 'monthly', count: 5, byMonthDay: 15 }, rdates: [start] });
    expect(written.all()).toEqual(withStart.all());
  });
});

describe('texts', () => {
  test.each([
    'DTSTART:20120201T023000Z\nRRULE:FREQ=MONTHLY;COUNT=5',
    'DTSTART:20120201T093000Z\nRRULE:FREQ=WEEKLY;INTERVAL=5;UNTIL=20130130T230000Z;BYDAY=MO,FR',
    'DTSTART:20120201T093000Z\nRRULE:FREQ=WEEKLY;INTERVAL=5;WKST=MO;UNTIL=20130130T230000Z;BYDAY=MO,FR;BYHOUR=10;BYMINUTE=30;BYSECOND=0',
  ])('%j', (text) => {
    expect(parseRecurrence(text).all()).toEqual(rrulestr(text).all());
  });

  it('with a semicolon at the end', () => {
    const text = 'DTSTART:20120201T093000Z\nRRULE:FREQ=WEEKLY;COUNT=3';
    expect(parseRecurrence(`${text};`).all()).toEqual(RRule.fromString(text).all());
  });

  it('of a rule alone, with its start beside it', () => {
    const options = RRule.parseString('FREQ=DAILY;INTERVAL=6');
    options.dtstart = datetime(2000, 2, 1);
    const isFirstThree = (_date: Date, index: number) => index < 3;
    const ours = parseRecurrence('FREQ=DAILY;INTERVAL=6', { start: datetime(2000, 2, 1) });
    expect(ours.all(isFirstThree)).toEqual(new RRule(options).all(isFirstThree));
  });
});

describe('differences by design', () => {
  it('a rule with a TZID has instants, on a machine in any zone', () => {
    const text = 'DTSTART;TZID=America/Denver:20181101T190000;\nRRULE:FREQ=WEEKLY;BYDAY=MO,WE,TH;INTERVAL=1;COUNT=3';
    const instants = ['2018-11-02T01:00Z', '2018-11-06T02:00Z', '2018-11-08T02:00Z'].map((each) => new Date(each));
    expect(parseRecurrence(text).all()).toEqual(instants);
    const tokyo = new RRule({
      freq: RRule.YEARLY,
      dtstart: datetime(2018, 2, 1, 10, 30),
      count: 1,
      tzid: 'Asia/Tokyo',
    });
    expect(fromRRule(tokyo).all()).toEqual([new Date('2018-02-01T01:30Z')]);
  });

  it('a start is required, and all results of an endless rule are refused', () => {
    expect(() => parseRecurrence('FREQ=DAILY')).toThrow('DTSTART: is missing');
    expect(() => parseRecurrence('FREQ=DAILY', { start: '2026-01-01' }).all()).toThrow(
      'all: the recurrence does not end',
    );
  });

  it('words have every part of the rule', () => {
    const weekly = new RRule({ freq: RRule.WEEKLY, count: 23, dtstart: datetime(2026, 1, 5) });
    expect(weekly.toText()).toBe('every week for 23 times');
    expect(fromRRule(weekly).toText()).toBe('every week, 23 times');
    const windowed = 'DTSTART:20260105T090000Z\nRRULE:FREQ=DAILY;BYSETPOS=1;BYHOUR=9,17;BYMINUTE=15';
    expect(rrulestr(windowed).toText()).not.toContain('first');
    expect(parseRecurrence(windowed).toText()).toBe('every day at 09:15 and 17:15, only the 1st of these each day');
  });

  // The names are those of test/differential/rrule-agreement.ts. E7, a rule without slots, is left out: rrule does not return.
  test.each([
    [
      'E1: plain and numbered weekdays are a union',
      '20260101',
      'FREQ=MONTHLY;BYDAY=TH,5FR;COUNT=6',
      '01 08 15 22 29 30',
    ],
    ['E2: BYSETPOS in the week of the start', '20260107', 'FREQ=WEEKLY;BYDAY=MO,TH;BYSETPOS=1;COUNT=2', '12 19'],
    ['E3: BYWEEKNO alone takes the weekday of the start', '20260105', 'FREQ=YEARLY;BYWEEKNO=3;UNTIL=20261231', '12'],
    ['E4: weeks over the edge of a year', '20200101', 'FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU;COUNT=3', '03 03 02'],
    ['E5: a slot that BYSETPOS names twice', '20260101', 'FREQ=MONTHLY;BYMONTHDAY=3;BYSETPOS=1,-1;COUNT=2', '03 03'],
    [
      'E6: a place before the beginning of the set',
      '20260101',
      'FREQ=MONTHLY;BYMONTHDAY=3;BYSETPOS=-3;UNTIL=20261231',
      '',
    ],
  ])('%s', (_name, date, rule, days) => {
    const text = `DTSTART:${date}T000000Z\nRRULE:${rule}`;
    const ours = parseRecurrence(text).as('local').all();
    expect(ours.map((local) => local.slice(8, 10)).join(' ')).toBe(days);
    expect(rrulestr(text).all()).not.toEqual(parseRecurrence(text).all());
  });
});
