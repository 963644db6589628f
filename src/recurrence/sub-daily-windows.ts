import { DAY_MS } from '../zones/civil.ts';
import type { ZoneTable } from '../zones/zone-table.ts';
import { DAY_SECONDS, nextTime } from './clock-parts.ts';
import type { Occurrence } from './occurrence.ts';
import { MOST_EMPTY_JUMPS, type PossibleWindows } from './possible-windows.ts';
import { type SubDailyRule, windowEndingAfter } from './sub-daily-rule.ts';
import { slotsAcross, type WindowSlots } from './sub-daily-slots.ts';

/** Reads a rule whose windows are hours or minutes. Jumps skip dates or times that do not pass. */
export function readWindows(
  rule: SubDailyRule,
  table: ZoneTable,
  slotsOf: WindowSlots,
  possible: PossibleWindows,
  fromMs: number,
  toMs: number,
  max: number,
  out: Occurrence[],
): void {
  const { nextDay, clock, lengthMs, stepMs } = rule;
  const first = Math.max(fromMs, rule.startMs);
  let jumps = 0;
  let window = windowEndingAfter(rule, first);
  let span = table.spanAt(window);
  while (window < toMs && out.length < max) {
    if (window >= span.toMs) span = table.spanAt(window);
    const { offsetMs } = span;
    const changesAt = window + lengthMs > span.toMs;
    if (changesAt) {
      for (const slot of slotsAcross(rule, table, window)) {
        if (slot.startMs >= first && slot.startMs < toMs && out.length < max) out.push(slot);
      }
      window += stepMs;
      continue;
    }
    const day = Math.floor((window + offsetMs) / DAY_MS);
    const midnight = day * DAY_MS - offsetMs;
    const time = (window - midnight) / 1000;
    const end = time + lengthMs / 1000;
    const allowed = nextDay === undefined ? day : nextDay(day);
    const tomorrow = end > DAY_SECONDS && (nextDay === undefined || nextDay(day + 1) === day + 1);
    const slots = slotsOf(time, allowed === day, tomorrow);
    for (let index = 0; index < slots.length; index++) {
      const startMs = window + slots[index]!;
      if (startMs >= first && startMs < toMs && out.length < max) out.push({ startMs, wallMs: startMs + offsetMs });
    }
    if (slots.length > 0) {
      jumps = 0;
      window += stepMs;
      continue;
    }
    const passes =
      allowed > day
        ? midnight + (allowed - day) * DAY_MS
        : midnight + nextTime(clock, Math.min(end, DAY_SECONDS)) * 1000;
    window = Math.max(window + stepMs, windowEndingAfter(rule, Math.min(passes, span.toMs)));
    jumps++;
    if (jumps > MOST_EMPTY_JUMPS && window < span.toMs) {
      window = Math.min(possible(window, offsetMs), windowEndingAfter(rule, span.toMs));
    }
  }
}
