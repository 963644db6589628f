import { DAY_MS } from '../zones/civil.ts';
import { fillDays } from './calendar-days.ts';
import { fillRange } from './calendar-range.ts';
import type { CalendarRule } from './calendar-rule.ts';
import { allowsAnyDay, startOfWeek } from './day-filter.ts';

/** Whether the count can run out before `hiMs`: no day holds more slots than there are times of day. */
export function couldReachCount(rule: CalendarRule, hiMs: number): boolean {
  const days = (Math.min(hiMs, rule.endWallMs) - rule.startWallMs) / DAY_MS + 1;
  return rule.count! < days * rule.times.length;
}

/**
 * Works out where COUNT ends the rule, if before `hiMs`. Even intervals are arithmetic; others are counted from where
 * the last question stopped.
 */
export function resolveCount(rule: CalendarRule, hiMs: number): void {
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
