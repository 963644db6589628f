import { DAY_MS } from '../zones/civil.ts';
import { couldReachCount, followCount } from './calendar-count.ts';
import { fillRange } from './calendar-range.ts';
import type { CalendarRule } from './calendar-rule.ts';
import { allowsAnyDay } from './day-filter.ts';

/** Window length from which a proof that the rule has slots at all pays off. */
const CENTURY_MS = 100 * 366 * DAY_MS;

/**
 * Appends the rule's wall times in `[loMs, hiMs)` to `out`, ascending, until `out` holds `max`. The cost depends on
 * the window, not on its distance from dtstart; COUNT is counted once for all windows, as far as the found slots.
 */
export function fillWalls(rule: CalendarRule, loMs: number, hiMs: number, out: number[], max: number): void {
  const mayEnd = !rule.isCounted && couldReachCount(rule, hiMs);
  if (mayEnd) followCount(rule, loMs);
  const from = Math.max(loMs, rule.startWallMs);
  const to = Math.min(hiMs, rule.endWallMs);
  if (from >= to) return;
  if (to - from > CENTURY_MS && rule.filter !== undefined && !allowsAnyDay(rule.filter)) return;
  if (!mayEnd || rule.isCounted) fillRange(rule, from, to, out, max);
  else fillCounted(rule, from, to, out, max);
}

/** Fills a window in which COUNT may run out. */
function fillCounted(rule: CalendarRule, from: number, to: number, out: number[], max: number): void {
  const { tally } = rule;
  const first = out.length;
  // With gap 'skip' some of the wall times do not count.
  const enough = tally.fromMs > from || rule.skips !== undefined ? max : Math.min(max, first + tally.left);
  fillRange(rule, from, to, out, enough);
  if (out.length - first <= tally.left) return;
  followCount(rule, out.at(-1)! + 1);
  while (out.length > first && out.at(-1)! >= rule.endWallMs) out.pop();
}
