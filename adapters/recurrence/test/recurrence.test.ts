import { Temporal } from 'temporal-polyfill/full';
import { describe, expect, expectTypeOf, it, test } from 'vitest';
import { parseRecurrence, type Recurrence, RecurrenceLimit, type RecurrenceObject, recurrence } from '../src/index.ts';

const STANDUP = {
  start: '2026-01-05T09:00',
  timeZone: 'America/New_York',
  rule: { freq: 'weekly', byDay: ['MO', 'WE'] },
  exdates: ['2026-01-07'],
} as const satisfies RecurrenceObject;

const standup = recurrence(STANDUP);
const floating = recurrence({ start: '2026-03-07T02:30', rule: 'FREQ=DAILY;COUNT=3' });
const allDay = recurrence({ start: '2026-03-01', rule: { freq: 'MONTHLY', byMonthDay: -1, count: 2 } });
const everySecond = recurrence({ start: '2020-01-01T00:00Z', rule: 'FREQ=SECONDLY' });

describe('forms of results', () => {
  it('a Date is the instant', () => {
    expect(standup.all(2)).toEqual([new Date('2026-01-05T14:00Z'), new Date('2026-01-12T14:00Z')]);
    expectTypeOf(standup.all(2)).toEqualTypeOf<Date[]>();
  });

  it.each([
    ['iso', ['2026-03-02T09:00:00-05:00', '2026-03-09T09:00:00-04:00']],
    ['local', ['2026-03-02T09:00:00', '2026-03-09T09:00:00']],
    ['ms', [Date.UTC(2026, 2, 2, 14), Date.UTC(2026, 2, 9, 13)]],
  ] as const)('%s', (form, results) => {
    const found = standup.as(form).between('2026-03-02', '2026-03-10');
    expect([found[0], found[2]]).toEqual(results);
  });

  it('fields', () => {
    const fields = { year: 2026, month: 1, day: 5, hour: 9, minute: 0, second: 0 };
    expect(standup.as('fields').first()).toEqual(fields);
  });

  it('floating and all-day results have no offset; their Dates have the local time in UTC fields', () => {
    expect(floating.as('iso').first()).toBe('2026-03-07T02:30:00');
    expect(floating.first()).toEqual(new Date('2026-03-07T02:30Z'));
    expect(allDay.as('iso').all()).toEqual(['2026-03-31', '2026-04-30']);
    expect(allDay.first()).toEqual(new Date('2026-03-31T00:00Z'));
  });

  it('a start in a gap is at the local time to which it is shifted', () => {
    const nightly = recurrence({ start: '2026-03-07T02:30', timeZone: 'America/New_York', rule: 'FREQ=DAILY;COUNT=3' });
    expect(nightly.as('local').all()).toEqual(['2026-03-07T02:30:00', '2026-03-08T03:30:00', '2026-03-09T02:30:00']);
    const skipping = recurrence({ ...STANDUP, start: '2026-03-07T02:30', rule: 'FREQ=DAILY;COUNT=2', gap: 'skip' });
    expect(skipping.as('local').all()).toEqual(['2026-03-07T02:30:00', '2026-03-09T02:30:00']);
  });

  it('classes of Temporal', () => {
    const { ZonedDateTime, Instant, PlainDateTime, PlainDate } = Temporal;
    expect(String(standup.as(ZonedDateTime).first())).toBe('2026-01-05T09:00:00-05:00[America/New_York]');
    expect(String(standup.as(Instant).first())).toBe('2026-01-05T14:00:00Z');
    expect(String(standup.as(PlainDateTime).first())).toBe('2026-01-05T09:00:00');
    expect(String(floating.as(PlainDateTime).first())).toBe('2026-03-07T02:30:00');
    expect(String(allDay.as(PlainDate).first())).toBe('2026-03-31');
    expectTypeOf(standup.as(ZonedDateTime)).toEqualTypeOf<Recurrence<Temporal.ZonedDateTime>>();
  });

  it('a ZonedDateTime keeps offsets with seconds, and both passes of an overlap', () => {
    const early = recurrence({ start: '1900-01-01T12:00', timeZone: 'Europe/Amsterdam', rule: 'FREQ=DAILY;COUNT=1' });
    const { epochMilliseconds } = early.as(Temporal.ZonedDateTime).first() ?? {};
    expect(epochMilliseconds).toBe(early.as('ms').first());
    const hourly = recurrence({ start: '2026-11-01T00:30', timeZone: 'America/New_York', rule: 'FREQ=HOURLY;COUNT=4' });
    const instants = hourly.as(Temporal.ZonedDateTime).all();
    expect(instants.map((each) => each.epochMilliseconds)).toEqual(hourly.as('ms').all());
  });

  it('refuses a class that cannot hold the starts, and unknown names', () => {
    expect(() => floating.as(Temporal.ZonedDateTime)).toThrow(
      /^as: the class cannot hold the starts of a floating series/,
    );
    expect(() => allDay.as(Temporal.Instant)).toThrow('an all-day series');
    // Where the runtime has no Temporal.
    expect(() => standup.as(undefined as never)).toThrow('as: takes the name of a form or a class of Temporal');
    expect(() => standup.as('text' as 'iso')).toThrow('as: "text" is none of date, ms, iso, local, fields');
  });
});

describe('bounds of questions', () => {
  const FIRST = '2026-01-05T09:00';
  it.each([
    ['local time', FIRST],
    ['a Date', new Date('2026-01-05T14:00Z')],
    ['milliseconds', Date.UTC(2026, 0, 5, 14)],
    ['a text with an offset', '2026-01-05T15:00+01:00'],
    ['an Instant', Temporal.Instant.from('2026-01-05T14:00Z')],
    ['a ZonedDateTime', Temporal.ZonedDateTime.from('2026-01-05T15:00[Europe/Berlin]')],
    ['a PlainDateTime', Temporal.PlainDateTime.from(FIRST)],
    ['a PlainDateTime of another calendar', Temporal.PlainDateTime.from(FIRST).withCalendar('hebrew')],
  ])('%s', (_name, moment) => {
    const iso = standup.as('iso');
    expect(iso.after(moment)).toBe('2026-01-12T09:00:00-05:00');
    expect(iso.after(moment, true)).toBe('2026-01-05T09:00:00-05:00');
    expect(iso.before(moment)).toBeNull();
    expect(iso.before(moment, true)).toBe('2026-01-05T09:00:00-05:00');
    expect(iso.includes(moment)).toBe(true);
  });

  it('a date is its midnight', () => {
    expect(standup.as('local').after('2026-01-12')).toBe('2026-01-12T09:00:00');
    expect(allDay.as('local').between('2026-03-31', '2026-04-30')).toEqual([]);
    expect(allDay.as('local').between('2026-03-31', '2026-04-30', true)).toEqual(['2026-03-31', '2026-04-30']);
  });

  it.each([
    [() => standup.after('tomorrow'), 'after: "tomorrow" is no date or date-time'],
    [() => standup.before(new Date(Number.NaN)), 'before: is an invalid Date or number'],
    [() => standup.before(1e300), 'before: is an invalid Date or number'],
    [() => standup.after(-8.64e15 - 1), 'after: is an invalid Date or number'],
    [() => standup.between('2026-02-30', '2026-03-01'), 'after: "2026-02-30" is no date'],
    [() => standup.after({} as Date), 'after: must be a Date, a number, a text or an object of Temporal'],
    [() => floating.after('2026-03-07T02:30+01:00'), 'after: a floating series has no instants'],
    [() => allDay.after(Temporal.Instant.from('2026-03-01T00:00Z')), 'after: an all-day series has no instants'],
    [() => standup.all(1.5), 'limit: 1.5 is no whole number from 0'],
    [() => standup.all(-1), 'limit: -1 is no whole number'],
  ])('%#: %s', (ask, message) => {
    expect(ask).toThrow(message);
  });
});

describe('a recurrence without an end', () => {
  it.each([
    ['all', () => standup.all()],
    ['last', () => standup.last()],
    ['count', () => standup.count()],
    ['backwards', () => standup.backwards()],
  ])('%s says so at once', (name, ask) => {
    expect(ask).toThrow(`${name}: the recurrence does not end`);
  });

  it('answers what is bounded', () => {
    expect(standup.all(2)).toHaveLength(2);
    expect(standup.all((date) => date.getTime() < Date.UTC(2026, 0, 20))).toHaveLength(4);
    expect(standup.isFinite).toBe(false);
  });

  it('more than 100,000 results are told, never cut', () => {
    expect(() => everySecond.between('2020-01-01', '2021-01-01')).toThrow(RecurrenceLimit);
    expect(() => everySecond.all(() => true)).toThrow('limit: there are more than 100000 results');
    expect(() => recurrence({ start: '2020-01-01T00:00Z', rule: 'FREQ=SECONDLY;COUNT=100001' }).count()).toThrow(
      RecurrenceLimit,
    );
    expect(recurrence({ start: '2020-01-01T00:00Z', rule: 'FREQ=SECONDLY;COUNT=100000' }).count()).toBe(100_000);
    expect(everySecond.all(100_001)).toHaveLength(100_001);
  });

  it('a second of six years is found without a walk', () => {
    const before = performance.now();
    expect(everySecond.as('iso').before('2026-01-01')).toBe('2025-12-31T23:59:59+00:00');
    const january = recurrence({ start: '2020-01-01T00:00Z', rule: 'FREQ=SECONDLY;BYMONTH=1' }).as('iso');
    expect(january.before('2025-12-01')).toBe('2025-01-31T23:59:59+00:00');
    const never = recurrence({ start: '2020-01-01T00:00Z', rule: 'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30' });
    expect(never.before('2025-12-01')).toBeNull();
    expect([...never]).toEqual([]);
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});

test('iterators are lazy', () => {
  const forwards = everySecond.as('iso')[Symbol.iterator]();
  expect(forwards.next().value).toBe('2020-01-01T00:00:00+00:00');
  const backwards = standup.as('local').backwards('2026-01-13');
  expect([...backwards]).toEqual(['2026-01-12T09:00:00', '2026-01-05T09:00:00']);
  expect([...allDay.as('local').backwards()]).toEqual(['2026-04-30', '2026-03-31']);
});

test('words', () => {
  expect(standup.toText()).toBe('every week on Monday and Wednesday; except on January 7, 2026');
});

test.each([
  ['zoned', standup],
  ['floating', floating],
  ['all-day', allDay],
  ['in UTC', everySecond],
  [
    'two rules and a date',
    recurrence({ ...STANDUP, rule: ['FREQ=DAILY;COUNT=2', 'FREQ=MONTHLY'], rdates: ['2026-02-01T12:00'] }),
  ],
])('the text of a recurrence is read back: %s', (_name, given) => {
  const read = parseRecurrence(String(given));
  expect(String(read)).toBe(String(given));
  expect(read.as('iso').all(50)).toEqual(given.as('iso').all(50));
});
