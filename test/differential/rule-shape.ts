import fc from 'fast-check';

/** A rule as data, so that text, oracle and engine all start from the same thing and share no parser. */
export interface RuleShape {
  readonly freq: 'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY' | 'HOURLY' | 'MINUTELY' | 'SECONDLY';
  readonly interval: number;
  readonly count?: number;
  /** Seconds since the epoch, as if in UTC. */
  readonly until?: number;
  readonly wkst: number;
  readonly bySecond?: readonly number[];
  readonly byMinute?: readonly number[];
  readonly byHour?: readonly number[];
  /** Pairs of ordinal (0 for every) and weekday (0 for Monday). */
  readonly byDay?: readonly (readonly [ordinal: number, weekday: number])[];
  readonly byMonthDay?: readonly number[];
  readonly byYearDay?: readonly number[];
  readonly byWeekNo?: readonly number[];
  readonly byMonth?: readonly number[];
  readonly bySetPos?: readonly number[];
}

export const DAY_NAMES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

/** A floating date-time in the basic form, from seconds since the epoch. */
export function basicTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
}

/** A floating date-time in the extended form. */
export function extendedTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

export function ruleText(shape: RuleShape): string {
  const parts = [`FREQ=${shape.freq}`];
  const list = (name: string, values: readonly (number | string)[] | undefined) => {
    if (values !== undefined) parts.push(`${name}=${values.join(',')}`);
  };
  if (shape.interval !== 1) parts.push(`INTERVAL=${shape.interval}`);
  if (shape.count !== undefined) parts.push(`COUNT=${shape.count}`);
  if (shape.until !== undefined) parts.push(`UNTIL=${basicTime(shape.until)}`);
  list('BYMONTH', shape.byMonth);
  list('BYWEEKNO', shape.byWeekNo);
  list('BYYEARDAY', shape.byYearDay);
  list('BYMONTHDAY', shape.byMonthDay);
  list(
    'BYDAY',
    shape.byDay?.map(([ordinal, weekday]) => `${ordinal === 0 ? '' : ordinal}${DAY_NAMES[weekday]}`),
  );
  list('BYHOUR', shape.byHour);
  list('BYMINUTE', shape.byMinute);
  list('BYSECOND', shape.bySecond);
  list('BYSETPOS', shape.bySetPos);
  if (shape.wkst !== 0) parts.push(`WKST=${DAY_NAMES[shape.wkst]}`);
  return parts.join(';');
}

function some<T>(value: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<T[]> {
  return fc.array(value, { minLength: 1, maxLength });
}

function signed(max: number): fc.Arbitrary<number> {
  return fc.integer({ min: -max, max }).filter((value) => value !== 0);
}

/** Present one time in `odds`, so that most rules have few parts and so have slots. */
function maybe<T>(value: fc.Arbitrary<T>, odds: number): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: odds - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
}

const monthDay = fc.oneof(fc.integer({ min: 1, max: 31 }), fc.constantFrom(-1, -2, -30, -31, 29, 30, 31, 1));
const weekNo = fc.oneof(signed(53), fc.constantFrom(1, 2, 20, 51, 52, 53, -1, -2, -52, -53));
const yearDay = fc.oneof(signed(366), fc.constantFrom(1, 59, 60, 365, 366, -1, -366));

function byDay(ordinals: fc.Arbitrary<number>) {
  return some(fc.tuple(ordinals, fc.integer({ min: 0, max: 6 })), 3);
}

const plain = fc.constant(0);
const ofMonth = fc.oneof(plain, signed(5));
const ofYear = fc.oneof(plain, signed(53), fc.constantFrom(1, -1, 53, -53));

const times = {
  byHour: maybe(some(fc.integer({ min: 0, max: 23 }), 3), 4),
  byMinute: maybe(some(fc.integer({ min: 0, max: 59 }), 3), 6),
  bySecond: maybe(some(fc.integer({ min: 0, max: 59 }), 2), 9),
};

const shared = {
  interval: fc.oneof(
    { weight: 6, arbitrary: fc.constant(1) },
    { weight: 4, arbitrary: fc.integer({ min: 2, max: 7 }) },
    { weight: 1, arbitrary: fc.integer({ min: 8, max: 400 }) },
  ),
  wkst: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 6 })),
  byMonth: maybe(some(fc.integer({ min: 1, max: 12 }), 3), 4),
  bySetPos: maybe(some(signed(5), 2), 4),
  ...times,
};

const yearly = fc
  .record({
    freq: fc.constant('YEARLY' as const),
    ...shared,
    byWeekNo: maybe(some(weekNo, 3), 5),
    byYearDay: maybe(some(yearDay, 3), 6),
    byMonthDay: maybe(some(monthDay, 3), 4),
    byDay: maybe(byDay(ofYear), 2),
  })
  .map((shape) =>
    shape.byWeekNo === undefined
      ? shape
      : { ...shape, byDay: shape.byDay?.map(([, weekday]) => [0, weekday] as [number, number]) },
  );
const monthly = fc.record({
  freq: fc.constant('MONTHLY' as const),
  ...shared,
  byWeekNo: maybe(some(weekNo, 3), 60),
  byMonthDay: maybe(some(monthDay, 4), 2),
  byDay: maybe(byDay(ofMonth), 2),
});
const weekly = fc.record({
  freq: fc.constant('WEEKLY' as const),
  ...shared,
  byWeekNo: maybe(some(weekNo, 3), 20),
  byDay: maybe(byDay(plain), 2),
});
const daily = fc.record({
  freq: fc.constant('DAILY' as const),
  ...shared,
  byMonthDay: maybe(some(monthDay, 4), 4),
  byDay: maybe(byDay(plain), 3),
});
function subDaily(freq: 'HOURLY' | 'MINUTELY' | 'SECONDLY') {
  return fc.record({
    ...shared,
    freq: fc.constant(freq),
    byMonth: maybe(some(fc.integer({ min: 1, max: 12 }), 6), 10),
    byHour: maybe(some(fc.integer({ min: 0, max: 23 }), 8), 3),
    byMinute: maybe(some(fc.integer({ min: 0, max: 59 }), 12), 3),
    bySecond: maybe(some(fc.integer({ min: 0, max: 59 }), 12), 4),
    byYearDay: maybe(some(yearDay, 3), 30),
    byMonthDay: maybe(some(monthDay, 4), 15),
    byDay: maybe(byDay(plain), 8),
  });
}

/** A generated case: a rule, its dtstart and a window, all in seconds since the epoch as if in UTC. */
export interface RuleCase {
  readonly shape: RuleShape;
  readonly dtstart: number;
  readonly from: number;
  readonly to: number;
}

const DAY = 86_400;
const moment = fc
  .tuple(fc.integer({ min: 5_000, max: 21_000 }), fc.integer({ min: 0, max: DAY - 1 }), fc.boolean())
  .map(([day, second, isRound]) => day * DAY + (isRound ? second - (second % 900) : second));

function without<T extends object>(shape: T): T {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as T;
}

function windowed(rule: fc.Arbitrary<object>, reach: number, length: number): fc.Arbitrary<RuleCase> {
  return fc
    .record({
      rule,
      dtstart: moment,
      ahead: fc.oneof(fc.constant(0), fc.integer({ min: -Math.floor(reach / 8), max: reach })),
      length: fc.integer({ min: 1, max: length }),
      end: fc.oneof(
        { weight: 3, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.record({ count: fc.integer({ min: 1, max: 60 }) }) },
        { weight: 1, arbitrary: fc.record({ until: fc.integer({ min: 0, max: reach * 2 }) }) },
      ),
    })
    .map(({ rule: draft, dtstart, ahead, length: size, end }) => {
      const until = 'until' in end ? { until: dtstart + (end.until as number) } : end;
      const shape = without({ ...draft, ...until }) as RuleShape;
      const from = dtstart + ahead;
      return { shape, dtstart, from, to: from + size };
    });
}

/** Rules of FREQ=DAILY and coarser over their whole grammar, read in a window of up to five years. */
export const calendarCase: fc.Arbitrary<RuleCase> = windowed(
  fc.oneof({ weight: 3, arbitrary: yearly }, { weight: 3, arbitrary: monthly }, weekly, daily),
  4 * 366 * DAY,
  5 * 366 * DAY,
);

/** Rules of FREQ=HOURLY and finer, in windows that the oracle can test second by second. */
export const subDailyCase: fc.Arbitrary<RuleCase> = fc.oneof(
  windowed(subDaily('HOURLY'), 6 * DAY, 6 * DAY),
  windowed(subDaily('MINUTELY'), 2 * DAY, DAY),
  windowed(subDaily('SECONDLY'), DAY / 4, DAY / 8),
);
