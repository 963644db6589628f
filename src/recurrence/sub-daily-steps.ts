import { DAY_MS } from '../zones/civil.ts';
import type { ZoneSpan, ZoneTable } from '../zones/zone-table.ts';
import { DAY_SECONDS, nextTime } from './clock-parts.ts';
import type { Occurrence } from './occurrence.ts';
import { MOST_EMPTY_JUMPS, type PossibleWindows } from './possible-windows.ts';
import { type SubDailyRule, windowAtOrAfter } from './sub-daily-rule.ts';

/** Reads a rule that steps from dtstart. Jumps skip dates or times that do not pass. */
export function readSteps(
  rule: SubDailyRule,
  table: ZoneTable,
  possible: PossibleWindows,
  fromMs: number,
  toMs: number,
  max: number,
  out: Occurrence[],
): void {
  for (let step = windowAtOrAfter(rule, fromMs); step < toMs && out.length < max; ) {
    const span = table.spanAt(step);
    step = readSpan(rule, span, possible, step, Math.min(toMs, span.toMs), max, out);
  }
}

/** Reads steps under one offset and returns the first step after them. */
function readSpan(
  rule: SubDailyRule,
  span: ZoneSpan,
  possible: PossibleWindows,
  firstStep: number,
  end: number,
  max: number,
  out: Occurrence[],
): number {
  const { nextDay, clock, stepMs } = rule;
  const { offsetMs } = span;
  // Where the day does not matter, one run continues to the end of the span.
  const runsOn = clock.runSeconds === DAY_SECONDS && nextDay === undefined;
  const runMs = runsOn ? Number.POSITIVE_INFINITY : clock.runSeconds * 1000;
  let step = firstStep;
  let jumps = 0;
  while (step < end && out.length < max) {
    const day = Math.floor((step + offsetMs) / DAY_MS);
    const midnight = day * DAY_MS - offsetMs;
    const allowed = nextDay === undefined ? day : nextDay(day);
    const passes =
      allowed > day ? midnight + (allowed - day) * DAY_MS : midnight + nextTime(clock, (step - midnight) / 1000) * 1000;
    if (passes > step) {
      // Under the next offset the date or time may come earlier.
      step = windowAtOrAfter(rule, Math.min(passes, end));
      jumps++;
      if (jumps > MOST_EMPTY_JUMPS && step < end) step = Math.min(possible(step, offsetMs), windowAtOrAfter(rule, end));
      continue;
    }
    jumps = 0;
    const runEnd = Math.min(end, midnight + (Math.floor((step - midnight) / runMs) + 1) * runMs);
    for (; step < runEnd && out.length < max; step += stepMs) out.push({ startMs: step, wallMs: step + offsetMs });
  }
  return step;
}

/**
 * Counts the steps of one day that pass its time parts: from the time of day `first`, which a step meets, to `end`.
 */
export function countSteps({ clock, stepMs }: SubDailyRule, first: number, end: number): number {
  const step = stepMs / 1000;
  let steps = 0;
  for (let time = first; time < end; ) {
    const next = nextTime(clock, time);
    if (next > time) {
      time += Math.ceil((next - time) / step) * step;
      continue;
    }
    const runEnd = Math.min(end, (Math.floor(time / clock.runSeconds) + 1) * clock.runSeconds);
    const run = Math.ceil((runEnd - time) / step);
    steps += run;
    time += run * step;
  }
  return steps;
}
