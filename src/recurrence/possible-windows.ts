import { DAY_SECONDS, nextTime } from './clock-parts.ts';
import { modulo, type SubDailyRule } from './sub-daily-rule.ts';
import type { WindowSlots } from './sub-daily-slots.ts';

/**
 * Returns the first window from the given one on that can have a slot under `offsetMs`, or infinity. Considers times of day
 * and weekdays, not dates.
 */
export type PossibleWindows = (windowMs: number, offsetMs: number) => number;

/** Jumps without a slot after which a search checks which windows can have one at all. */
export const MOST_EMPTY_JUMPS = 32;

const EVERY_WEEKDAY = 0x7f;

/**
 * Creates the search for windows whose time can have a slot. The start times of windows repeat after a day divided by the
 * common divisor of the step and a day, so at most 86,400 windows are tested, once for each offset.
 */
export function createPossibleWindows(rule: SubDailyRule, slotsOf: WindowSlots): PossibleWindows {
  const { clock, isStepped, weekdays } = rule;
  const length = rule.lengthMs / 1000;
  const step = rule.stepMs / 1000;
  // 7 and 86,400 are coprime: a step that is not a multiple of 7 s meets each weekday at each of its times.
  const knowsWeekday = weekdays !== EVERY_WEEKDAY && step % 7 === 0;
  const cycle = knowsWeekday ? 7 * DAY_SECONDS : DAY_SECONDS;
  const round = cycle / gcd(step, cycle);
  const distancesByOffset = new Map<number, Int32Array>();

  const isPossibleDay = (day: number) => !knowsWeekday || (weekdays & (1 << ((day + 3) % 7))) !== 0;

  function isPossible(second: number): boolean {
    const day = Math.floor(second / DAY_SECONDS);
    const time = second - day * DAY_SECONDS;
    const today = isPossibleDay(day);
    if (isStepped) return today && nextTime(clock, time) === time;
    if (time + length <= DAY_SECONDS) return slotsOf(time, today, false).length > 0;
    const tomorrow = isPossibleDay(day + 1);
    return (
      slotsOf(time, today, tomorrow).length > 0 ||
      slotsOf(time, today, false).length > 0 ||
      slotsOf(time, false, tomorrow).length > 0
    );
  }

  /** For each place in the round, the number of windows to the next possible one; -1 without any. */
  function distances(offsetMs: number): Int32Array {
    const origin = modulo((rule.originMs + offsetMs) / 1000, cycle);
    const found = new Int32Array(round).fill(-1);
    let next = -1;
    for (let index = 2 * round - 1; index >= 0; index--) {
      const place = index % round;
      if (index >= round ? isPossible((origin + place * (step % cycle)) % cycle) : found[place] === 0) next = index;
      if (next >= 0) found[place] = next - index;
    }
    return found;
  }

  return (windowMs, offsetMs) => {
    let found = distancesByOffset.get(offsetMs);
    if (found === undefined) {
      found = distances(offsetMs);
      distancesByOffset.set(offsetMs, found);
    }
    const distance = found[modulo((windowMs - rule.originMs) / rule.stepMs, round)]!;
    return distance < 0 ? Number.POSITIVE_INFINITY : windowMs + distance * rule.stepMs;
  };
}

function gcd(a: number, b: number): number {
  let x = a;
  let y = b;
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}
