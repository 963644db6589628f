import fc from 'fast-check';
import { compileSeries } from 'kalends/recurrence';
import {
  fromPatternedRecurrence,
  type GraphPattern,
  toPatternedRecurrence,
  UnrepresentableRecurrence,
} from 'kalends/recurrence/patterned';
import { describe, expect, test } from 'vitest';
import { calendarCase, extendedTime, ruleText } from '../differential/rule-shape.ts';

const ZONE = 'America/New_York';
const to = (dtstart: string, ...lines: string[]) =>
  toPatternedRecurrence({ dtstart: `${dtstart}T09:00:00`, timeZone: ZONE, lines });
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];

describe('RRULE as patternedRecurrence', () => {
  test.each([
    ['2026-01-05', 'FREQ=DAILY;INTERVAL=3', { type: 'daily', interval: 3 }],
    [
      '2026-01-05',
      'FREQ=DAILY;BYDAY=MO,FR',
      { type: 'weekly', interval: 1, daysOfWeek: ['monday', 'friday'], firstDayOfWeek: 'monday' },
    ],
    ['2026-01-05', 'FREQ=WEEKLY', { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'monday' }],
    [
      '2026-01-05',
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR,MO;WKST=SU',
      { type: 'weekly', interval: 2, daysOfWeek: ['monday', 'friday'], firstDayOfWeek: 'sunday' },
    ],
    ['2026-01-05', 'FREQ=MONTHLY', { type: 'absoluteMonthly', interval: 1, dayOfMonth: 5 }],
    ['2026-01-05', 'FREQ=MONTHLY;BYMONTHDAY=5;INTERVAL=2', { type: 'absoluteMonthly', interval: 2, dayOfMonth: 5 }],
    [
      '2026-01-31',
      'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1',
      { type: 'absoluteMonthly', interval: 1, dayOfMonth: 31 },
    ],
    [
      '2026-01-30',
      'FREQ=MONTHLY;BYDAY=-1FR',
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['friday'], index: 'last' },
    ],
    [
      '2026-01-13',
      'FREQ=MONTHLY;BYDAY=TU;BYSETPOS=2',
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['tuesday'], index: 'second' },
    ],
    [
      '2026-01-30',
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
      { type: 'relativeMonthly', interval: 1, daysOfWeek: WEEKDAYS, index: 'last' },
    ],
    [
      '2026-01-31',
      'FREQ=MONTHLY;BYMONTHDAY=-1',
      { type: 'relativeMonthly', interval: 1, daysOfWeek: [...WEEKDAYS, 'saturday', 'sunday'], index: 'last' },
    ],
    ['2026-01-05', 'FREQ=YEARLY', { type: 'absoluteYearly', interval: 1, month: 1, dayOfMonth: 5 }],
    [
      '2026-01-31',
      'FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=31',
      { type: 'absoluteYearly', interval: 1, month: 1, dayOfMonth: 31 },
    ],
    [
      '2028-02-29',
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1',
      { type: 'absoluteYearly', interval: 1, month: 2, dayOfMonth: 29 },
    ],
    [
      '2026-03-08',
      'FREQ=YEARLY;BYMONTH=3;BYDAY=2SU',
      { type: 'relativeYearly', interval: 1, month: 3, daysOfWeek: ['sunday'], index: 'second' },
    ],
    ['2026-01-05', 'FREQ=DAILY;BYHOUR=9;BYMINUTE=0', { type: 'daily', interval: 1 }],
  ])('%s %s', (dtstart, rule, pattern) => {
    expect(to(dtstart, `RRULE:${rule}`).pattern).toEqual(pattern);
  });

  test.each([
    ['FREQ', '2026-01-05', 'RRULE:FREQ=HOURLY'],
    ['BYHOUR', '2026-01-05', 'RRULE:FREQ=DAILY;BYHOUR=9,17'],
    ['BYMINUTE', '2026-01-05', 'RRULE:FREQ=DAILY;BYMINUTE=0,30'],
    ['BYMONTH', '2026-01-05', 'RRULE:FREQ=DAILY;BYMONTH=1'],
    ['BYDAY', '2026-01-05', 'RRULE:FREQ=DAILY;INTERVAL=2;BYDAY=MO'],
    ['BYMONTHDAY', '2026-01-05', 'RRULE:FREQ=DAILY;BYMONTHDAY=5'],
    ['BYMONTH', '2026-01-05', 'RRULE:FREQ=WEEKLY;BYMONTH=1'],
    ['BYSETPOS', '2026-01-05', 'RRULE:FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=1'],
    ['BYMONTHDAY', '2026-01-31', 'RRULE:FREQ=MONTHLY'],
    ['BYMONTHDAY', '2026-01-31', 'RRULE:FREQ=MONTHLY;BYMONTHDAY=31'],
    ['BYMONTHDAY', '2026-01-05', 'RRULE:FREQ=MONTHLY;BYMONTHDAY=5,20'],
    ['BYMONTHDAY', '2026-01-30', 'RRULE:FREQ=MONTHLY;BYMONTHDAY=-2'],
    ['BYMONTH', '2026-01-05', 'RRULE:FREQ=MONTHLY;BYMONTH=1'],
    ['BYDAY', '2026-01-05', 'RRULE:FREQ=MONTHLY;BYDAY=1MO,3MO'],
    ['BYDAY', '2026-01-05', 'RRULE:FREQ=MONTHLY;BYDAY=MO'],
    ['BYDAY', '2026-01-29', 'RRULE:FREQ=MONTHLY;BYDAY=5TH'],
    ['BYDAY', '2026-01-19', 'RRULE:FREQ=MONTHLY;BYDAY=-2MO'],
    ['BYSETPOS', '2026-01-29', 'RRULE:FREQ=MONTHLY;BYDAY=TH;BYSETPOS=5'],
    ['BYSETPOS', '2026-01-05', 'RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1,2'],
    ['BYMONTHDAY', '2026-02-13', 'RRULE:FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13'],
    ['BYYEARDAY', '2026-01-05', 'RRULE:FREQ=YEARLY;BYYEARDAY=5'],
    ['BYWEEKNO', '2026-01-05', 'RRULE:FREQ=YEARLY;BYWEEKNO=2'],
    ['BYMONTH', '2026-01-05', 'RRULE:FREQ=YEARLY;BYMONTH=1,2'],
    ['BYDAY', '2026-01-05', 'RRULE:FREQ=YEARLY;BYDAY=1MO'],
    ['BYMONTHDAY', '2026-01-05', 'RRULE:FREQ=YEARLY;BYMONTHDAY=5'],
    ['BYMONTHDAY', '2028-02-29', 'RRULE:FREQ=YEARLY'],
    ['RDATE', '2026-01-05', 'RRULE:FREQ=DAILY\nRDATE:20260105T200000Z'],
    ['EXRULE', '2026-01-05', 'RRULE:FREQ=DAILY\nEXRULE:FREQ=WEEKLY'],
    ['RRULE', '2026-01-05', 'RRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY'],
    ['RRULE', '2026-01-05', 'EXDATE:20260105T140000Z'],
    ['dtstart', '2026-01-05', 'RRULE:FREQ=WEEKLY;BYDAY=TU'],
  ])('refuses for %s: %s %s', (part, dtstart, lines) => {
    expect(() => to(dtstart, lines)).toThrow(UnrepresentableRecurrence);
    expect(() => to(dtstart, lines)).toThrow(expect.objectContaining({ part }));
  });

  test('the range: no end, COUNT, UNTIL in the zone', () => {
    const range = { startDate: '2026-01-05', recurrenceTimeZone: ZONE };
    expect(to('2026-01-05', 'FREQ=DAILY').range).toEqual({ ...range, type: 'noEnd' });
    expect(to('2026-01-05', 'FREQ=DAILY;COUNT=5').range).toEqual({
      ...range,
      type: 'numbered',
      numberOfOccurrences: 5,
    });
    const until = (text: string) => to('2026-01-05', `FREQ=DAILY;UNTIL=${text}`).range.endDate;
    expect(until('20260110T140000Z')).toBe('2026-01-10');
    expect(until('20260110T135959Z')).toBe('2026-01-09');
    expect(until('20260111T045959Z')).toBe('2026-01-10');
    expect(until('20260110')).toBe('2026-01-10');
    expect(() => until('20250110')).toThrow(UnrepresentableRecurrence);
  });

  test('EXDATEs are the instances to delete, those that meet a slot', () => {
    const lines = ['FREQ=DAILY;COUNT=9', 'EXDATE:20260107T140000Z,20260107T150000Z', 'EXDATE;VALUE=DATE:20260109'];
    expect(to('2026-01-05', ...lines).excluded).toEqual([Date.UTC(2026, 0, 7, 9), Date.UTC(2026, 0, 9, 9)]);
  });

  test('an all-day series has no zone', () => {
    const found = toPatternedRecurrence({
      dtstart: '2026-01-05',
      timeZone: null,
      lines: ['FREQ=DAILY;UNTIL=20260110'],
    });
    expect(found.range).toEqual({ type: 'endDate', startDate: '2026-01-05', endDate: '2026-01-10' });
  });
});

describe('patternedRecurrence as RRULE', () => {
  const noEnd = { type: 'noEnd', startDate: '2026-01-05' } as const;

  test.each<[GraphPattern, string]>([
    [{ type: 'daily', interval: 1 }, 'FREQ=DAILY'],
    [{ type: 'weekly', interval: 2, daysOfWeek: ['friday', 'monday'] }, 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;WKST=SU'],
    [{ type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'monday' }, 'FREQ=WEEKLY;BYDAY=MO'],
    [{ type: 'absoluteMonthly', interval: 1, dayOfMonth: 15 }, 'FREQ=MONTHLY;BYMONTHDAY=15'],
    [{ type: 'absoluteMonthly', interval: 1, dayOfMonth: 30 }, 'FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1'],
    [{ type: 'relativeMonthly', interval: 1, daysOfWeek: ['friday'], index: 'last' }, 'FREQ=MONTHLY;BYDAY=-1FR'],
    [{ type: 'relativeMonthly', interval: 1, daysOfWeek: ['friday'] }, 'FREQ=MONTHLY;BYDAY=1FR'],
    [
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['saturday', 'sunday'], index: 'second' },
      'FREQ=MONTHLY;BYDAY=SA,SU;BYSETPOS=2',
    ],
    [{ type: 'absoluteYearly', interval: 1, month: 4, dayOfMonth: 30 }, 'FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=30'],
    [
      { type: 'absoluteYearly', interval: 1, month: 2, dayOfMonth: 29 },
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1',
    ],
    [
      { type: 'relativeYearly', interval: 1, month: 3, daysOfWeek: ['sunday'], index: 'second' },
      'FREQ=YEARLY;BYMONTH=3;BYDAY=2SU',
    ],
  ])('%j', (pattern, rule) => {
    expect(fromPatternedRecurrence(pattern, noEnd)).toEqual([`RRULE:${rule}`]);
  });

  test('fields that a type does not use are ignored, as Graph sends them zeroed', () => {
    const pattern = {
      type: 'daily',
      interval: 2,
      month: 0,
      dayOfMonth: 0,
      firstDayOfWeek: 'sunday',
      index: 'first',
    } as const;
    const range = { ...noEnd, endDate: '0001-01-01', numberOfOccurrences: 0 };
    expect(fromPatternedRecurrence(pattern, range)).toEqual(['RRULE:FREQ=DAILY;INTERVAL=2']);
  });

  test('the end: a date, or the last second of it in UTC', () => {
    const daily = { type: 'daily', interval: 1 } as const;
    const range = { type: 'endDate', startDate: '2026-01-05', endDate: '2026-07-10' } as const;
    expect(fromPatternedRecurrence(daily, range)).toEqual(['RRULE:FREQ=DAILY;UNTIL=20260710']);
    expect(fromPatternedRecurrence(daily, range, { timeZone: ZONE })).toEqual([
      'RRULE:FREQ=DAILY;UNTIL=20260711T035959Z',
    ]);
    const numbered = { type: 'numbered', startDate: '2026-01-05', numberOfOccurrences: 4 } as const;
    expect(fromPatternedRecurrence(daily, numbered)).toEqual(['RRULE:FREQ=DAILY;COUNT=4']);
  });

  test.each([
    ['pattern.type', { type: 'hourly', interval: 1 }],
    ['pattern.daysOfWeek', { type: 'weekly', interval: 1 }],
    ['pattern.daysOfWeek', { type: 'weekly', interval: 1, daysOfWeek: ['Montag'] }],
    ['pattern.dayOfMonth', { type: 'absoluteMonthly', interval: 1, dayOfMonth: 0 }],
    ['pattern.month', { type: 'absoluteYearly', interval: 1, dayOfMonth: 1, month: 13 }],
    ['pattern.index', { type: 'relativeMonthly', interval: 1, daysOfWeek: ['monday'], index: 'fifth' }],
  ])('refuses %s', (part, pattern) => {
    expect(() => fromPatternedRecurrence(pattern as GraphPattern, noEnd)).toThrow(expect.objectContaining({ part }));
  });
});

test.each([
  ['America/New_York', '99991231T235959Z'],
  ['Pacific/Pago_Pago', '99991231T235959Z'],
  ['Asia/Tokyo', '99991231T145959Z'],
])('the last date that there is ends a series in %s at a time that can be read', (timeZone, until) => {
  const range = { type: 'endDate', startDate: '2026-07-06', endDate: '9999-12-31' } as const;
  const lines = fromPatternedRecurrence({ type: 'daily', interval: 1 }, range, { timeZone });
  expect(lines).toEqual([`RRULE:FREQ=DAILY;UNTIL=${until}`]);
  expect(compileSeries({ dtstart: '2026-07-06T09:00:00', timeZone, lines }).first()).toBeDefined();
  const back = toPatternedRecurrence({ dtstart: '2026-07-06T09:00:00', timeZone, lines });
  expect(back.range.endDate).toBe('9999-12-31');
});

test('what Graph can hold comes back as the same series', () => {
  let held = 0;
  fc.assert(
    fc.property(calendarCase, fc.boolean(), ({ shape, dtstart }, isAllDay) => {
      const anchor = { dtstart: extendedTime(dtstart), timeZone: ZONE, lines: [`RRULE:${ruleText(shape)}`] };
      const first = compileSeries(anchor).first();
      if (first === undefined) return;
      const start = new Date(first.wallMs).toISOString().slice(0, isAllDay ? 10 : 19);
      const definition = { ...anchor, dtstart: start, timeZone: isAllDay ? null : ZONE };
      let patterned: ReturnType<typeof toPatternedRecurrence>;
      try {
        patterned = toPatternedRecurrence(definition);
      } catch (error) {
        if (error instanceof UnrepresentableRecurrence) return;
        throw error;
      }
      held++;
      const lines = fromPatternedRecurrence(
        patterned.pattern,
        patterned.range,
        isAllDay ? undefined : { timeZone: ZONE },
      );
      const window = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, limit: 60 };
      const back = compileSeries({ ...definition, lines }).occurrences(window);
      expect(back, `${start} ${definition.lines} as ${lines}`).toEqual(compileSeries(definition).occurrences(window));
    }),
    { numRuns: 2000 },
  );
  expect(held).toBeGreaterThan(100);
});
