import type { RuleShape } from './rule-shape.ts';

/*
 * The oracle: RFC 5545 §3.3.10 read aloud. It walks every day (or second) from dtstart, asks each BY part whether it
 * holds there by counting on the calendar, and knows no shortcut. Nothing of the engine is used here.
 */

const DAY = 86_400;

interface Civil {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
}

const civils = new Map<number, Civil>();

function civil(day: number): Civil {
  let known = civils.get(day);
  if (known === undefined) {
    const date = new Date(day * DAY * 1000);
    known = {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      weekday: (date.getUTCDay() + 6) % 7,
    };
    civils.set(day, known);
  }
  return known;
}

function dayOf(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / 1000 / DAY;
}

/** Counts from the front or, when negative, from the back of days `first` to `last`. */
function isNth(day: number, first: number, last: number, nth: number): boolean {
  return nth > 0 ? day - first + 1 === nth : last - day + 1 === -nth;
}

/** Whether `day` is the nth of its weekday among the days `first` to `last`. */
function isNthWeekday(day: number, first: number, last: number, nth: number): boolean {
  let place = 0;
  const step = nth > 0 ? 1 : -1;
  const start = nth > 0 ? first : last;
  for (let at = start; ; at += step) {
    if (civil(at).weekday === civil(day).weekday) place += step;
    if (at === day) return place === nth;
  }
}

/** Week 1 of a year is the first with at least four days in it. */
function firstWeekOf(year: number, wkst: number): number {
  for (let day = dayOf(year, 1, 1) - 6; ; day++) {
    const inYear = [0, 1, 2, 3, 4, 5, 6].filter((place) => civil(day + place).year === year).length;
    if (civil(day).weekday === wkst && inYear >= 4) return day;
  }
}

function isInWeek(day: number, numbers: readonly number[], wkst: number): boolean {
  const { year } = civil(day);
  return [year - 1, year, year + 1].some((each) => {
    const first = firstWeekOf(each, wkst);
    const next = firstWeekOf(each + 1, wkst);
    if (day < first || day >= next) return false;
    const number = Math.floor((day - first) / 7) + 1;
    const weeks = (next - first) / 7;
    return numbers.some((wanted) => wanted === number || wanted === number - weeks - 1);
  });
}

function passesDateParts(shape: RuleShape, day: number): boolean {
  const { year, month, weekday } = civil(day);
  const [monthStart, monthEnd] = [dayOf(year, month, 1), dayOf(year, month + 1, 1) - 1];
  const [yearStart, yearEnd] = [dayOf(year, 1, 1), dayOf(year, 12, 31)];
  if (shape.byMonth && !shape.byMonth.includes(month)) return false;
  if (shape.byWeekNo && !isInWeek(day, shape.byWeekNo, shape.wkst)) return false;
  if (shape.byYearDay && !shape.byYearDay.some((nth) => isNth(day, yearStart, yearEnd, nth))) return false;
  if (shape.byMonthDay && !shape.byMonthDay.some((nth) => isNth(day, monthStart, monthEnd, nth))) return false;
  const inMonth = shape.freq === 'MONTHLY' || shape.byMonth !== undefined;
  return (
    shape.byDay === undefined ||
    shape.byDay.some(
      ([nth, wanted]) =>
        wanted === weekday &&
        (nth === 0 || isNthWeekday(day, inMonth ? monthStart : yearStart, inMonth ? monthEnd : yearEnd, nth)),
    )
  );
}

/** §3.3.10: "Information, not contained in the rule, necessary to determine the various recurrence instance start time and dates are derived from the Start Time." */
function withDefaults(shape: RuleShape, dtstart: number): RuleShape {
  const { month, day, weekday } = civil(Math.floor(dtstart / DAY));
  const second = dtstart % DAY;
  const dayPart = shape.byDay ?? shape.byMonthDay ?? shape.byYearDay;
  const date: Partial<RuleShape> = {};
  if (dayPart === undefined) {
    const isOfWeek = shape.byWeekNo !== undefined && shape.freq !== 'DAILY';
    if (isOfWeek || shape.freq === 'WEEKLY') Object.assign(date, { byDay: [[0, weekday]] });
    else if (shape.freq === 'YEARLY') Object.assign(date, { byMonthDay: [day], byMonth: shape.byMonth ?? [month] });
    else if (shape.freq === 'MONTHLY') Object.assign(date, { byMonthDay: [day] });
  }
  return {
    byHour: [Math.floor(second / 3600)],
    byMinute: [Math.floor(second / 60) % 60],
    bySecond: [second % 60],
    ...shape,
    ...date,
  };
}

/** The number of the period that a day lies in; the rule uses every INTERVALth, counted from that of dtstart. */
function periodOf(shape: RuleShape, day: number): number {
  const { year, month, weekday } = civil(day);
  switch (shape.freq) {
    case 'YEARLY':
      return year;
    case 'MONTHLY':
      return year * 12 + month;
    case 'WEEKLY':
      return Math.floor((day - ((weekday - shape.wkst + 7) % 7) + 700_000) / 7);
    default:
      return day;
  }
}

function pick(slots: readonly number[], positions: readonly number[] | undefined): readonly number[] {
  if (positions === undefined) return slots;
  return slots.filter((_, index) => positions.some((nth) => isNth(index, 0, slots.length - 1, nth)));
}

function sortedSet(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

/** The times of day that BYHOUR, BYMINUTE and BYSECOND make. */
function clockTimes(shape: RuleShape): readonly number[] {
  return sortedSet(
    (shape.byHour ?? []).flatMap((hour) =>
      (shape.byMinute ?? []).flatMap((minute) =>
        (shape.bySecond ?? []).map((second) => (hour * 60 + minute) * 60 + second),
      ),
    ),
  );
}

/** The slots of each period in turn, before BYSETPOS, from the period that holds dtstart. */
function* calendarPeriods(shape: RuleShape, dtstart: number, to: number): Generator<readonly number[]> {
  const startDay = Math.floor(dtstart / DAY);
  const first = periodOf(shape, startDay);
  const clock = clockTimes(shape);
  let day = startDay;
  while (periodOf(shape, day - 1) === first) day--;
  while (day * DAY < to) {
    const period = periodOf(shape, day);
    const slots: number[] = [];
    for (; periodOf(shape, day) === period; day++) {
      if ((period - first) % shape.interval !== 0 || !passesDateParts(shape, day)) continue;
      slots.push(...clock.map((time) => day * DAY + time));
    }
    yield slots;
  }
}

/** How many slots BYSETPOS has to pick from, period by period. */
export function periodSizes(shape: RuleShape, dtstart: number, to: number): readonly number[] {
  return [...calendarPeriods(withDefaults(shape, dtstart), dtstart, to)].map((slots) => slots.length);
}

function* calendarSlots(shape: RuleShape, dtstart: number, to: number): Generator<number> {
  for (const slots of calendarPeriods(shape, dtstart, to)) yield* pick(slots, shape.bySetPos);
}

const UNIT = { HOURLY: 3600, MINUTELY: 60, SECONDLY: 1 } as const;

/** The slots of periods of an hour, a minute or a second: each tested second by second. */
function* subDailySlots(shape: RuleShape, dtstart: number, to: number): Generator<number> {
  const unit = UNIT[shape.freq as keyof typeof UNIT];
  const first = Math.floor(dtstart / unit);
  const passesDay = new Map<number, boolean>();
  for (let period = first; period * unit < to; period++) {
    if ((period - first) % shape.interval !== 0) continue;
    const day = Math.floor((period * unit) / DAY);
    if (!passesDay.has(day)) passesDay.set(day, passesDateParts(shape, day));
    if (!passesDay.get(day)) continue;
    const slots: number[] = [];
    for (let second = period * unit; second < (period + 1) * unit; second++) {
      const passes =
        (!shape.byHour || shape.byHour.includes(Math.floor(second / 3600) % 24)) &&
        (!shape.byMinute || shape.byMinute.includes(Math.floor(second / 60) % 60)) &&
        (!shape.bySecond || shape.bySecond.includes(second % 60));
      if (passes) slots.push(second);
    }
    yield* pick(slots, shape.bySetPos);
  }
}

/** A period finer than a part takes from dtstart only what is finer still. */
function subDailyDefaults(shape: RuleShape, dtstart: number): RuleShape {
  const minute = Math.floor(dtstart / 60) % 60;
  const ofMinute = { bySecond: [dtstart % 60] };
  if (shape.freq === 'HOURLY') return { byMinute: [minute], ...ofMinute, ...shape };
  return shape.freq === 'MINUTELY' ? { ...ofMinute, ...shape } : shape;
}

/** The slots of a rule in `[from, to)`, in floating time, as seconds since the epoch. */
export function expandSlowly(shape: RuleShape, dtstart: number, from: number, to: number): readonly number[] {
  const isSubDaily = shape.freq in UNIT;
  const slots = isSubDaily
    ? subDailySlots(subDailyDefaults(shape, dtstart), dtstart, to)
    : calendarSlots(withDefaults(shape, dtstart), dtstart, to);
  const found: number[] = [];
  let counted = 0;
  for (const slot of slots) {
    if (slot < dtstart) continue;
    if (slot >= to || (shape.until !== undefined && slot > shape.until)) break;
    counted++;
    if (shape.count !== undefined && counted > shape.count) break;
    if (slot >= from) found.push(slot);
  }
  return found;
}
