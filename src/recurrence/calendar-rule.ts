import { DAY_MS, daysFromCivil, daysInMonth, packedCivil, weekdayOf } from '../zones/civil.ts';
import {
  allowsAnyDay,
  allowsDay,
  compileDayFilter,
  type DayDefaults,
  type DayFilter,
  monthMask,
  startOfWeek,
} from './day-filter.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';
import { pickPositions } from './set-positions.ts';

/** Wall times are looked for up to the end of the year 9999, the last that RFC 5545 can write. */
export const HORIZON_MS = 253_402_300_800_000;

/** A window this long is worth a proof that the rule has slots at all. */
const CENTURY_MS = 100 * 366 * DAY_MS;

/** A rule of FREQ=DAILY or coarser, compiled to integers over day numbers. Its slots are wall times. */
export interface CalendarRule {
  readonly freq: 'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY';
  readonly interval: number;
  /** Undefined when no date part limits a DAILY or WEEKLY rule. */
  readonly filter: DayFilter | undefined;
  /** Times of day in milliseconds, ascending. */
  readonly times: readonly number[];
  /** Days of a WEEKLY rule, counted from the start of its week, ascending. */
  readonly weekDays: readonly number[];
  readonly positions: readonly number[] | undefined;
  readonly startWallMs: number;
  readonly startDay: number;
  readonly startYear: number;
  readonly startMonth: number;
  readonly wkst: number;
  readonly count: number | undefined;
  /** Slots at or after this wall time are cut off: by UNTIL at first, by COUNT once that has been worked out. */
  endWallMs: number;
  isCounted: boolean;
  /** How far COUNT has been followed: `left` slots are still to come from `fromMs` on. */
  readonly tally: { fromMs: number; left: number };
}

/** Compiles a rule of FREQ=DAILY or coarser. `untilWallMs` is its last possible wall time, if it has one. */
export function compileCalendarRule(
  rule: RecurrenceRule,
  startWallMs: number,
  isAllDay: boolean,
  untilWallMs: number,
): CalendarRule {
  const startDay = Math.floor(startWallMs / DAY_MS);
  const packed = packedCivil(startDay);
  const times = timesOfDay(rule, startWallMs - startDay * DAY_MS, isAllDay);
  const ofDay = rule.freq === 'DAILY' && rule.bySetPos !== undefined;
  return {
    freq: rule.freq as CalendarRule['freq'],
    interval: rule.interval,
    filter: dateFilter(rule, startDay, packed),
    times: ofDay ? pickPositions([0], times, rule.bySetPos, DAY_MS) : times,
    weekDays: rule.freq === 'WEEKLY' ? daysOfWeek(rule, startDay) : [],
    positions: ofDay ? undefined : rule.bySetPos,
    startWallMs,
    startDay,
    startYear: packed >> 9,
    startMonth: ((packed >> 5) & 15) - 1,
    wkst: rule.wkst,
    count: rule.count,
    endWallMs: Math.min(untilWallMs + 1, HORIZON_MS),
    isCounted: rule.count === undefined,
    tally: { fromMs: startWallMs, left: rule.count ?? 0 },
  };
}

/** Whether a part decides on the days, so that dtstart need not. */
function hasDayPart(rule: RecurrenceRule): boolean {
  return rule.byDay !== undefined || rule.byMonthDay !== undefined || rule.byYearDay !== undefined;
}

function dateFilter(rule: RecurrenceRule, startDay: number, packed: number): DayFilter | undefined {
  if (rule.freq === 'WEEKLY' || rule.freq === 'DAILY') {
    const isLimited =
      rule.byMonth !== undefined ||
      rule.byMonthDay !== undefined ||
      rule.byYearDay !== undefined ||
      rule.byWeekNo !== undefined ||
      (rule.freq === 'DAILY' && rule.byDay !== undefined);
    return isLimited ? compileDayFilter(rule, {}) : undefined;
  }
  return compileDayFilter(rule, dayDefaults(rule, startDay, packed));
}

function dayDefaults(rule: RecurrenceRule, startDay: number, packed: number): DayDefaults {
  if (hasDayPart(rule)) return {};
  if (rule.byWeekNo !== undefined) return { weekday: weekdayOf(startDay) };
  const monthDay = packed & 31;
  return rule.freq === 'MONTHLY' ? { monthDay } : { monthDay, months: 1 << (((packed >> 5) & 15) - 1) };
}

function daysOfWeek(rule: RecurrenceRule, startDay: number): readonly number[] {
  if (rule.byDay === undefined) {
    if (hasDayPart(rule) || rule.byWeekNo !== undefined) return [0, 1, 2, 3, 4, 5, 6];
    return [startDay - startOfWeek(startDay, rule.wkst)];
  }
  let bits = 0;
  for (const day of rule.byDay) bits |= 1 << ((day.weekday - rule.wkst + 7) % 7);
  const days: number[] = [];
  for (let place = 0; place < 7; place++) if ((bits & (1 << place)) !== 0) days.push(place);
  return days;
}

/** RFC 5545 §3.3.10: BYHOUR, BYMINUTE and BYSECOND are ignored when dtstart is a date. */
function timesOfDay(rule: RecurrenceRule, startOfDayMs: number, isAllDay: boolean): readonly number[] {
  if (isAllDay) return [0];
  if (rule.byHour === undefined && rule.byMinute === undefined && rule.bySecond === undefined) return [startOfDayMs];
  const seconds = Math.floor(startOfDayMs / 1000);
  const times: number[] = [];
  for (const hour of ascending(rule.byHour, Math.floor(seconds / 3600))) {
    for (const minute of ascending(rule.byMinute, Math.floor(seconds / 60) % 60)) {
      for (const second of clockSeconds(rule.bySecond, seconds % 60)) {
        times.push(((hour * 60 + minute) * 60 + second) * 1000);
      }
    }
  }
  return times;
}

/** The values of a BY part in order, each once; `byDefault` alone when the part is absent. */
export function ascending(values: readonly number[] | undefined, byDefault: number): readonly number[] {
  return values === undefined ? [byDefault] : [...new Set(values)].sort((a, b) => a - b);
}

/** As `ascending`, with a leap second read as second 59 (RFC 5545 §3.3.12). */
export function clockSeconds(values: readonly number[] | undefined, byDefault: number): readonly number[] {
  return ascending(
    values?.map((second) => Math.min(second, 59)),
    byDefault,
  );
}

/**
 * Appends the rule's wall times in `[loMs, hiMs)` to `out`, ascending, until `out` holds `max`. The work depends on
 * the window, not on its distance from dtstart.
 */
export function fillWalls(rule: CalendarRule, loMs: number, hiMs: number, out: number[], max: number): void {
  if (!rule.isCounted && couldReachCount(rule, hiMs)) resolveCount(rule, hiMs);
  const from = Math.max(loMs, rule.startWallMs);
  const to = Math.min(hiMs, rule.endWallMs);
  if (from >= to) return;
  if (to - from > CENTURY_MS && rule.filter !== undefined && !allowsAnyDay(rule.filter)) return;
  fillRange(rule, from, to, out, max);
}

function fillRange(rule: CalendarRule, from: number, to: number, out: number[], max: number): void {
  if (rule.positions !== undefined) {
    fillPicked(rule, rule.positions, from, to, out, max);
    return;
  }
  const firstDay = Math.floor(from / DAY_MS);
  const lastDay = Math.floor((to - 1) / DAY_MS);
  const { times } = rule;
  const first = out.length;
  if (times.length === 0) return;
  if (times.length === 1) {
    // A day at each end may fall outside by its time; with one more asked for, `max` good ones are not missed.
    fillDays(rule, firstDay, lastDay, out, max + 1);
    daysToWalls(out, first, times[0]!, from, to, max);
    return;
  }
  const days: number[] = [];
  fillDays(rule, firstDay, lastDay, days, Math.ceil((max - first) / times.length) + 1);
  for (const day of days) {
    for (const time of times) {
      const wall = day * DAY_MS + time;
      if (wall >= from && wall < to && out.length < max) out.push(wall);
    }
  }
}

function daysToWalls(out: number[], first: number, time: number, from: number, to: number, max: number): void {
  let kept = first;
  for (let index = first; index < out.length; index++) {
    const wall = out[index]! * DAY_MS + time;
    if (wall >= from && wall < to && kept < max) out[kept++] = wall;
  }
  out.length = kept;
}

/** Appends the day numbers from `firstDay` to `lastDay` that the rule allows, until `out` holds `max`. */
function fillDays(rule: CalendarRule, firstDay: number, lastDay: number, out: number[], max: number): void {
  if (rule.freq === 'WEEKLY') fillWeeks(rule, firstDay, lastDay, out, max);
  else if (rule.filter === undefined) fillEveryNthDay(rule, firstDay, lastDay, out, max);
  else fillMonths(rule, rule.filter, firstDay, lastDay, out, max);
}

function fillEveryNthDay(rule: CalendarRule, firstDay: number, lastDay: number, out: number[], max: number): void {
  const { interval, startDay } = rule;
  let day = startDay + Math.ceil((firstDay - startDay) / interval) * interval;
  for (; day <= lastDay && out.length < max; day += interval) out.push(day);
}

function fillWeeks(rule: CalendarRule, firstDay: number, lastDay: number, out: number[], max: number): void {
  const { filter, weekDays } = rule;
  const step = rule.interval * 7;
  const base = startOfWeek(rule.startDay, rule.wkst);
  let week = base + Math.floor((firstDay - base) / step) * step;
  for (; week <= lastDay && out.length < max; week += step) {
    if (filter !== undefined) week += Math.ceil(barrenDays(filter, week) / step) * step;
    for (const place of weekDays) {
      const day = week + place;
      if (day >= firstDay && day <= lastDay && (filter === undefined || passes(filter, day))) out.push(day);
    }
  }
}

/** How many days on, at least, the first week must begin that can have an allowed day; 0 when this one can. */
function barrenDays(filter: DayFilter, week: number): number {
  const packed = packedCivil(week);
  const first = week - (packed & 31) + 1;
  if (monthMask(filter, packed >> 9, ((packed >> 5) & 15) - 1, first) !== 0) return 0;
  return Math.max(0, daysFromCivil(packed >> 9, ((packed >> 5) & 15) + 1, 1) - 6 - week);
}

function passes(filter: DayFilter, dayNumber: number): boolean {
  const packed = packedCivil(dayNumber);
  return allowsDay(filter, packed >> 9, (packed >> 5) & 15, packed & 31, dayNumber);
}

function fillMonths(
  rule: CalendarRule,
  filter: DayFilter,
  firstDay: number,
  lastDay: number,
  out: number[],
  max: number,
): void {
  const { interval, startDay } = rule;
  const dayStep = rule.freq === 'DAILY' ? interval : 1;
  const lastMonth = monthOf(lastDay);
  let cursor = alignedMonth(rule, firstDay);
  while (cursor <= lastMonth && out.length < max) {
    const year = Math.floor(cursor / 12);
    const month = cursor - year * 12;
    const next = nextMonth(rule, filter, year, month);
    if ((filter.months & (1 << month)) !== 0) {
      const first = daysFromCivil(year, month + 1, 1);
      let mask = monthMask(filter, year, month, first);
      if (first < firstDay) mask &= -1 << (firstDay - first);
      if (lastDay - first < 31) mask &= (2 << (lastDay - first)) - 1;
      while (mask !== 0) {
        const day = first + 31 - Math.clz32(mask & -mask);
        if (dayStep === 1 || (day - startDay) % dayStep === 0) out.push(day);
        mask &= mask - 1;
      }
    }
    cursor = next;
  }
}

/** The months since year 0 of a day number. */
function monthOf(dayNumber: number): number {
  const packed = packedCivil(dayNumber);
  return (packed >> 9) * 12 + ((packed >> 5) & 15) - 1;
}

/** The first month, as months since year 0, that can hold slots from `firstDay` on. */
function alignedMonth(rule: CalendarRule, firstDay: number): number {
  const month = monthOf(firstDay);
  if (rule.freq === 'DAILY' || rule.interval === 1) return month;
  if (rule.freq === 'MONTHLY') {
    const start = rule.startYear * 12 + rule.startMonth;
    return start + Math.ceil((month - start) / rule.interval) * rule.interval;
  }
  const year = Math.floor(month / 12);
  const aligned = rule.startYear + Math.ceil((year - rule.startYear) / rule.interval) * rule.interval;
  return aligned === year ? month : aligned * 12;
}

/** The next month that can hold slots: for MONTHLY the next of its interval, else the next that BYMONTH allows. */
function nextMonth(rule: CalendarRule, filter: DayFilter, year: number, month: number): number {
  if (rule.freq === 'MONTHLY') return year * 12 + month + rule.interval;
  const later = filter.months & (-2 << month);
  if (later !== 0) return year * 12 + 31 - Math.clz32(later & -later);
  return rule.freq === 'YEARLY' ? (year + rule.interval) * 12 : (year + 1) * 12;
}

/**
 * The calendar repeats after 400 years, so a rule whose positions were missing in as many periods in a row as that has
 * (whatever the interval between them) never has any.
 */
const PERIODS_IN_CYCLE = { YEARLY: 400, MONTHLY: 4800, WEEKLY: 20_871, DAILY: 146_097 } as const;

function fillPicked(
  rule: CalendarRule,
  positions: readonly number[],
  from: number,
  to: number,
  out: number[],
  max: number,
): void {
  const firstDay = Math.floor(from / DAY_MS);
  const lastDay = Math.floor((to - 1) / DAY_MS);
  let period = firstPeriod(rule, firstDay);
  let barren = 0;
  while (out.length < max && barren <= PERIODS_IN_CYCLE[rule.freq]) {
    const { start, end, next } = periodAt(rule, period);
    if (start > lastDay) return;
    const days: number[] = [];
    fillDays(rule, start, end, days, Number.POSITIVE_INFINITY);
    const picked = days.length === 0 ? days : pickPositions(days, rule.times, positions, DAY_MS);
    barren = picked.length === 0 ? barren + 1 : 0;
    for (const wall of picked) {
      if (wall >= from && wall < to && out.length < max) out.push(wall);
    }
    period = next;
  }
}

/** The period (a week by its first day, a month or year by its months since year 0) in which a search begins. */
function firstPeriod(rule: CalendarRule, firstDay: number): number {
  if (rule.freq === 'WEEKLY') {
    const base = startOfWeek(rule.startDay, rule.wkst);
    return base + Math.floor((firstDay - base) / (rule.interval * 7)) * rule.interval * 7;
  }
  const cursor = alignedMonth(rule, firstDay);
  return rule.freq === 'YEARLY' ? Math.floor(cursor / 12) * 12 : cursor;
}

function periodAt(rule: CalendarRule, period: number): { start: number; end: number; next: number } {
  if (rule.freq === 'WEEKLY') {
    const step = rule.interval * 7;
    const after = period + step;
    const rest = rule.filter === undefined ? 0 : Math.ceil(barrenDays(rule.filter, after) / step) * step;
    return { start: period, end: period + 6, next: after + rest };
  }
  const year = Math.floor(period / 12);
  const month = period - year * 12 + 1;
  const start = daysFromCivil(year, month, 1);
  return rule.freq === 'YEARLY'
    ? { start, end: daysFromCivil(year, 12, 31), next: period + rule.interval * 12 }
    : { start, end: start + daysInMonth(year, month) - 1, next: period + rule.interval };
}

/** Whether the count can run out before `hiMs`: no day holds more slots than there are times of day. */
function couldReachCount(rule: CalendarRule, hiMs: number): boolean {
  const days = (Math.min(hiMs, rule.endWallMs) - rule.startWallMs) / DAY_MS + 1;
  return rule.count! < days * rule.times.length;
}

/**
 * Works out where COUNT ends the rule, if before `hiMs`. Even intervals are arithmetic; others are counted from where
 * the last question stopped.
 */
function resolveCount(rule: CalendarRule, hiMs: number): void {
  if (rule.filter === undefined && rule.positions === undefined) {
    endAt(rule, nthWall(rule, rule.count!));
    return;
  }
  const to = Math.min(hiMs, rule.endWallMs);
  if (rule.filter !== undefined && !allowsAnyDay(rule.filter)) endAt(rule, undefined);
  else if (to > rule.tally.fromMs) endAt(rule, countOn(rule, to), to);
}

/** Ends the rule at its last slot. Without one it is done too, if it was searched to its end. */
function endAt(rule: CalendarRule, lastWallMs: number | undefined, searchedMs = Number.POSITIVE_INFINITY): void {
  if (lastWallMs !== undefined) rule.endWallMs = Math.min(rule.endWallMs, lastWallMs + 1);
  rule.isCounted = lastWallMs !== undefined || searchedMs >= rule.endWallMs;
}

const CHUNK = 4096;

/** Counts on to `toMs`, in slots where BYSETPOS picks them, else in days; answers the last slot when it is reached. */
function countOn(rule: CalendarRule, toMs: number): number | undefined {
  const { tally, times } = rule;
  const startsInDay = tally.fromMs % DAY_MS !== 0;
  const isBySlot = rule.positions !== undefined || startsInDay;
  const slotsTo = rule.positions === undefined ? (Math.floor(tally.fromMs / DAY_MS) + 1) * DAY_MS : toMs;
  const found: number[] = [];
  while (isBySlot && tally.fromMs < slotsTo) {
    found.length = 0;
    const room = Math.min(tally.left, CHUNK);
    fillRange(rule, tally.fromMs, slotsTo, found, room);
    if (found.length === tally.left) return found.at(-1);
    tally.left -= found.length;
    tally.fromMs = found.length === room ? found.at(-1)! + 1 : slotsTo;
  }
  while (rule.positions === undefined && tally.fromMs < toMs) {
    found.length = 0;
    const lastDay = Math.ceil(toMs / DAY_MS) - 1;
    fillDays(rule, tally.fromMs / DAY_MS, lastDay, found, CHUNK);
    const slots = found.length * times.length;
    if (slots >= tally.left) {
      return found[Math.floor((tally.left - 1) / times.length)]! * DAY_MS + times[(tally.left - 1) % times.length]!;
    }
    tally.left -= slots;
    tally.fromMs = (found.length >= CHUNK ? found.at(-1)! + 1 : lastDay + 1) * DAY_MS;
  }
  return undefined;
}

/** The wall time of the nth slot (from 1), or undefined when the rule ends before it. */
export function nthWall(rule: CalendarRule, n: number): number | undefined {
  if (rule.positions !== undefined) return nthPicked(rule, n);
  const { times, startDay } = rule;
  if (times.length === 0) return undefined;
  const onFirstDay: number[] = [];
  fillRange(rule, rule.startWallMs, Math.min((startDay + 1) * DAY_MS, rule.endWallMs), onFirstDay, n);
  if (onFirstDay.length >= n) return onFirstDay[n - 1];
  const rest = n - onFirstDay.length;
  const day = nthDay(rule, Math.ceil(rest / times.length));
  return day === undefined ? undefined : day * DAY_MS + times[(rest - 1) % times.length]!;
}

/** The nth allowed day after the day of dtstart. */
function nthDay(rule: CalendarRule, n: number): number | undefined {
  const lastDay = Math.floor((rule.endWallMs - 1) / DAY_MS);
  const { startDay, interval, weekDays } = rule;
  if (rule.filter === undefined && rule.freq === 'DAILY') return startDay + n * interval;
  let from = startDay + 1;
  let left = n;
  if (rule.filter === undefined && rule.freq === 'WEEKLY') {
    const base = startOfWeek(startDay, rule.wkst);
    const inFirstWeek = weekDays.filter((place) => base + place > startDay).length;
    if (left > inFirstWeek) {
      const whole = left - inFirstWeek - 1;
      const week = base + (Math.floor(whole / weekDays.length) + 1) * interval * 7;
      return week + weekDays[whole % weekDays.length]!;
    }
  }
  const days: number[] = [];
  for (;;) {
    days.length = 0;
    fillDays(rule, from, lastDay, days, Math.min(left, CHUNK));
    if (days.length >= left) return days[left - 1];
    if (days.length < CHUNK) return undefined;
    left -= days.length;
    from = days.at(-1)! + 1;
  }
}

function nthPicked(rule: CalendarRule, n: number): number | undefined {
  const walls: number[] = [];
  let from = rule.startWallMs;
  let left = n;
  for (;;) {
    walls.length = 0;
    fillRange(rule, from, rule.endWallMs, walls, Math.min(left, CHUNK));
    if (walls.length >= left) return walls[left - 1];
    if (walls.length < CHUNK) return undefined;
    left -= walls.length;
    from = walls.at(-1)! + 1;
  }
}
