import { DAY_MS, daysFromCivil, daysInMonth } from '../zones/civil.ts';
import { alignedMonth, barrenDays, fillDays } from './calendar-days.ts';
import type { CalendarRule } from './calendar-rule.ts';
import { startOfWeek } from './day-filter.ts';
import type { SetPositions } from './set-positions.ts';
import { countBelow } from './times-of-day.ts';

/** Implements `fillWalls` for a window between dtstart and the end of the rule. */
export function fillRange(rule: CalendarRule, from: number, to: number, out: number[], max: number): void {
  if (rule.positions !== undefined) {
    fillPicked(rule, rule.positions, from, to, out, max);
    return;
  }
  const firstDay = Math.floor(from / DAY_MS);
  const lastDay = Math.floor((to - 1) / DAY_MS);
  const { times } = rule;
  const first = out.length;
  if (times.size === 0) return;
  if (times.size === 1) {
    // The first day's time may precede the window; one extra day makes up for it.
    fillDays(rule, firstDay, lastDay, out, max + 1);
    daysToWalls(out, first, times.at(0), from, to, max);
    return;
  }
  const days: number[] = [];
  fillDays(rule, firstDay, lastDay, days, Math.ceil((max - first) / times.size) + 1);
  for (const day of days) {
    const midnight = day * DAY_MS;
    let index = midnight < from ? times.countBefore(from - midnight) : 0;
    for (; index < times.size && out.length < max; index++) {
      const wall = midnight + times.at(index);
      if (wall >= to) return;
      out.push(wall);
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

/**
 * Periods in the 400 years after which the calendar repeats. A rule without picked positions in as many consecutive
 * periods (at any interval) never has any.
 */
const PERIODS_IN_CYCLE = { YEARLY: 400, MONTHLY: 4800, WEEKLY: 20_871, DAILY: 146_097 } as const;

function fillPicked(
  rule: CalendarRule,
  positions: SetPositions,
  from: number,
  to: number,
  out: number[],
  max: number,
): void {
  const lastDay = Math.floor((to - 1) / DAY_MS);
  let period = firstPeriod(rule, Math.floor(from / DAY_MS));
  let barren = 0;
  while (out.length < max && barren <= PERIODS_IN_CYCLE[rule.freq]) {
    const { start, end, next } = periodAt(rule, period);
    if (start > lastDay) return;
    const picked = pickedOf(rule, positions, start, end);
    barren = picked.length === 0 ? barren + 1 : 0;
    let index = picked.length > 0 && picked[0]! < from ? countBelow(picked, from) : 0;
    for (; index < picked.length && out.length < max; index++) {
      if (picked[index]! >= to) return;
      out.push(picked[index]!);
    }
    period = next;
  }
}

/** Returns the slots that BYSETPOS picks in a period. Caches the last result for callers that go instant by instant. */
function pickedOf(rule: CalendarRule, positions: SetPositions, start: number, end: number): readonly number[] {
  const { picked, times } = rule;
  if (picked.start !== start) {
    const days: number[] = [];
    fillDays(rule, start, end, days, Number.POSITIVE_INFINITY);
    picked.walls = positions
      .placesIn(days.length * times.size)
      .map((place) => days[Math.floor(place / times.size)]! * DAY_MS + times.at(place % times.size));
    picked.start = start;
  }
  return picked.walls;
}

/** Returns the period in which a search begins: a week by its first day, a month or year by its months since year 0. */
export function firstPeriod(rule: CalendarRule, firstDay: number): number {
  if (rule.freq === 'WEEKLY') {
    const base = startOfWeek(rule.startDay, rule.wkst);
    return base + Math.floor((firstDay - base) / (rule.interval * 7)) * rule.interval * 7;
  }
  const cursor = alignedMonth(rule, firstDay);
  return rule.freq === 'YEARLY' ? Math.floor(cursor / 12) * 12 : cursor;
}

export function periodAt(rule: CalendarRule, period: number): { start: number; end: number; next: number } {
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
