import { DAY_MS } from '../zones/civil.ts';
import { couldReachCount, resolveCount } from './calendar-count.ts';
import { fillRange } from './calendar-range.ts';
import type { CalendarRule } from './calendar-rule.ts';
import { allowsAnyDay } from './day-filter.ts';

/** A window this long is worth a proof that the rule has slots at all. */
const CENTURY_MS = 100 * 366 * DAY_MS;

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
