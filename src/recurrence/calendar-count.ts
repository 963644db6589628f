import { DAY_MS, daysFromCivil, packedCivil } from '../zones/civil.ts';
import type { ZoneTable } from '../zones/zone-table.ts';
import { fillDays } from './calendar-days.ts';
import { fillRange, firstPeriod, periodAt } from './calendar-range.ts';
import type { CalendarRule } from './calendar-rule.ts';
import { allowsAnyDay, startOfWeek } from './day-filter.ts';
import type { SetPositions } from './set-positions.ts';
import { countBelow } from './times-of-day.ts';

/** Returns whether COUNT can run out before `hiMs`: a day has at most as many slots as the rule has times of day. */
export function couldReachCount(rule: CalendarRule, hiMs: number): boolean {
  const days = (Math.min(hiMs, rule.endWallMs) - rule.startWallMs) / DAY_MS + 1;
  return (rule.count ?? Number.POSITIVE_INFINITY) < days * rule.times.size;
}

/**
 * Counts slots up to `toMs` and ends the rule where COUNT runs out. Slots are counted, not built: in one step where days
 * are evenly spaced, else year by year, each year once.
 */
export function followCount(rule: CalendarRule, toMs: number): void {
  const { tally } = rule;
  const isEven = rule.filter === undefined && rule.positions === undefined && rule.skips === undefined;
  if (rule.filter !== undefined && !allowsAnyDay(rule.filter)) rule.isCounted = true;
  // Slots are at whole seconds, so rounding up loses none.
  const to = Math.min(isEven ? Number.POSITIVE_INFINITY : Math.ceil(toMs / 1000) * 1000, rule.endWallMs);
  while (!rule.isCounted && tally.fromMs < to) {
    const end = isEven ? to : Math.min(to, nextNewYear(tally.fromMs));
    const slots = countExisting(rule, tally.fromMs, end);
    if (slots >= tally.left) {
      rule.endWallMs = endOfNth(rule, tally.left, end);
      rule.isCounted = true;
    }
    tally.left -= slots;
    tally.fromMs = end;
  }
  if (tally.fromMs >= rule.endWallMs) rule.isCounted = true;
}

function nextNewYear(wallMs: number): number {
  return daysFromCivil((packedCivil(Math.floor(wallMs / DAY_MS)) >> 9) + 1, 1, 1) * DAY_MS;
}

/** Finds the end of the second with the nth slot from the tally on, by bisection. */
function endOfNth(rule: CalendarRule, n: number, toMs: number): number {
  const from = rule.tally.fromMs / 1000;
  let low = from;
  let high = Math.ceil(toMs / 1000);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (countExisting(rule, from * 1000, middle * 1000) >= n) high = middle;
    else low = middle;
  }
  return high * 1000;
}

/** Returns the number of slots in `[from, to)` that COUNT counts: with gap 'skip' only existing ones. */
function countExisting(rule: CalendarRule, from: number, to: number): number {
  const walls = countWalls(rule, from, to);
  return rule.skips === undefined || walls === 0 ? walls : walls - countInGaps(rule, rule.skips, from, to);
}

function countInGaps(rule: CalendarRule, table: ZoneTable, from: number, to: number): number {
  let walls = 0;
  for (let span = table.spanOfWall(from); span.wallToMs < to; ) {
    const gapFrom = Math.max(span.wallToMs, from);
    const gapTo = Math.min(span.nextWallFromMs, to);
    if (gapFrom < gapTo) walls += countWalls(rule, gapFrom, gapTo);
    span = table.spanOfWall(Math.max(span.nextWallFromMs, span.wallToMs));
  }
  return walls;
}

/** Returns the number of wall times of a rule in `[from, to)`, ignoring COUNT. */
function countWalls(rule: CalendarRule, from: number, to: number): number {
  if (rule.positions !== undefined) return countPicked(rule, rule.positions, from, to);
  const { times } = rule;
  const firstDay = Math.floor(from / DAY_MS);
  const lastDay = Math.floor((to - 1) / DAY_MS);
  const days = countDays(rule, firstDay, lastDay);
  if (days === 0) return 0;
  const before = times.countBefore(from - firstDay * DAY_MS);
  const after = times.size - times.countBefore(to - lastDay * DAY_MS);
  return (
    days * times.size -
    (before > 0 && countDays(rule, firstDay, firstDay) > 0 ? before : 0) -
    (after > 0 && countDays(rule, lastDay, lastDay) > 0 ? after : 0)
  );
}

function countDays(rule: CalendarRule, firstDay: number, lastDay: number): number {
  if (rule.filter === undefined) return evenDaysUpTo(rule, lastDay) - evenDaysUpTo(rule, firstDay - 1);
  const days: number[] = [];
  fillDays(rule, firstDay, lastDay, days, Number.POSITIVE_INFINITY);
  return days.length;
}

/** Returns the number of days of an evenly spaced rule from dtstart's interval up to a day. */
function evenDaysUpTo(rule: CalendarRule, day: number): number {
  const { interval, startDay, weekDays, wkst } = rule;
  if (rule.freq === 'DAILY') return Math.floor((day - startDay) / interval) + 1;
  const base = startOfWeek(startDay, wkst);
  const weeks = Math.floor((day - base) / (interval * 7));
  return weeks * weekDays.length + countBelow(weekDays, day - base - weeks * interval * 7 + 1);
}

function countPicked(rule: CalendarRule, positions: SetPositions, from: number, to: number): number {
  let walls = 0;
  const lastDay = Math.floor((to - 1) / DAY_MS);
  for (let period = firstPeriod(rule, Math.floor(from / DAY_MS)); ; ) {
    const { start, end, next } = periodAt(rule, period);
    if (start > lastDay) return walls;
    if (start * DAY_MS >= from && (end + 1) * DAY_MS <= to) {
      walls += positions.countIn(countDays(rule, start, end) * rule.times.size);
    } else {
      const found: number[] = [];
      const until = Math.min(to, (end + 1) * DAY_MS);
      fillRange(rule, Math.max(from, start * DAY_MS), until, found, Number.POSITIVE_INFINITY);
      walls += found.length;
    }
    period = next;
  }
}
