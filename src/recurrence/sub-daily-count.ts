import { DAY_MS } from '../zones/civil.ts';
import type { ZoneSpan, ZoneTable } from '../zones/zone-table.ts';
import type { OccurrenceReader } from './calendar-reader.ts';
import { DAY_SECONDS } from './clock-parts.ts';
import type { Occurrence } from './occurrence.ts';
import { type SubDailyRule, windowAtOrAfter } from './sub-daily-rule.ts';
import { slotsAcross, type WindowSlots } from './sub-daily-slots.ts';
import { countSteps } from './sub-daily-steps.ts';

/** Returns the instant at which COUNT ends the rule, searching up to `toMs`; infinite when not found. */
export type Tally = (toMs: number) => number;

/** Windows of a day from which its slot count is cached; fewer are counted faster. */
const REMEMBERED_WINDOWS = 8;

/**
 * Creates the count of a rule. `read` reads the rule without its COUNT. It counts by local days: days of one offset
 * whose first windows begin at the same time have equally many slots, and there are at most as many such times as steps in
 * a day. It resumes where the last call stopped, so no time is counted twice.
 */
export function createTally(rule: SubDailyRule, table: ZoneTable, slotsOf: WindowSlots, read: OccurrenceReader): Tally {
  const { count, startMs, stepMs, lengthMs, nextDay, isStepped } = rule;
  if (count === undefined) return () => Number.POSITIVE_INFINITY;
  const isPlain = isStepped && nextDay === undefined && rule.clock.runSeconds === DAY_SECONDS;
  if (isPlain) return () => startMs + (count - 1) * stepMs + 1;
  const step = stepMs / 1000;
  const known = new Map<number, number>();
  let left = count;
  let endMs = Number.POSITIVE_INFINITY;
  /** The slots of all windows that begin earlier are counted. */
  let countedTo = Number.NEGATIVE_INFINITY;

  /** Subtracts slots from the remaining count. `windowMs` is the window with the first of them. */
  function take(slots: number, windowMs: number, toMs: number): void {
    if (slots >= left) {
      const found: Occurrence[] = [];
      read(Math.max(windowMs, startMs), toMs, left, found);
      endMs = found.at(-1)!.startMs + 1;
    }
    left -= slots;
  }

  function countBetween(first: number, end: number, today: boolean, tomorrow: boolean): number {
    if (isStepped) return today ? countSteps(rule, first, end) : 0;
    let slots = 0;
    for (let time = first; time < end; time += step) slots += slotsOf(time, today, tomorrow).length;
    return slots;
  }

  /** Returns the number of slots of the windows of a day that begin between two times. */
  function slotsBetween(first: number, end: number, today: boolean, tomorrow: boolean): number {
    if (end - first < step * REMEMBERED_WINDOWS) return countBetween(first, end, today, tomorrow);
    const key = ((end % DAY_SECONDS) * DAY_SECONDS + first) * 4 + (today ? 2 : 0) + (tomorrow ? 1 : 0);
    let slots = known.get(key);
    if (slots === undefined) {
      slots = countBetween(first, end, today, tomorrow);
      known.set(key, slots);
    }
    return slots;
  }

  /** Counts the windows that begin in `[fromMs, toMs)`, all of which lie in the span. */
  function countInSpan({ offsetMs }: ZoneSpan, fromMs: number, toMs: number): void {
    let window = windowAtOrAfter(rule, fromMs);
    while (window < toMs && left > 0) {
      const day = Math.floor((window + offsetMs) / DAY_MS);
      const midnight = day * DAY_MS - offsetMs;
      const allowed = nextDay === undefined ? day : nextDay(day);
      // The last window of the day before an allowed one may reach into it.
      if (allowed > day + 1) {
        window = windowAtOrAfter(rule, midnight + (allowed - day - 1) * DAY_MS);
        continue;
      }
      const end = Math.min(midnight + DAY_MS, toMs);
      const tomorrow = !isStepped && (nextDay === undefined || nextDay(day + 1) === day + 1);
      take(
        slotsBetween((window - midnight) / 1000, (end - midnight) / 1000, allowed === day, tomorrow),
        window,
        end + lengthMs,
      );
      window = windowAtOrAfter(rule, end);
    }
  }

  /** Continues the count to the end of a span or to the first midnight at or after `toMs`. */
  function countOn(toMs: number): void {
    const span = table.spanAt(countedTo);
    const midnight = Math.ceil((toMs + span.offsetMs) / DAY_MS) * DAY_MS - span.offsetMs;
    const end = Math.min(span.toMs, midnight);
    const lastInside = span.toMs - lengthMs + 1000;
    countInSpan(span, countedTo, Math.min(end, lastInside));
    const across = windowAtOrAfter(rule, Math.max(countedTo, lastInside));
    if (left > 0 && across < end) take(slotsAcross(rule, table, across).length, across, across + lengthMs);
    countedTo = end;
  }

  /** Counts the first window, whose slots before dtstart are not in the series. */
  function countFirst(): void {
    const found: Occurrence[] = [];
    countedTo = rule.originMs + lengthMs;
    read(startMs, countedTo, left, found);
    if (found.length > 0) take(found.length, rule.originMs, countedTo);
  }

  return (toMs) => {
    const mostSlots = (Math.floor((toMs - rule.originMs) / stepMs) + 1) * rule.mostSlots;
    if (mostSlots < count) return Number.POSITIVE_INFINITY;
    if (countedTo < startMs) countFirst();
    while (left > 0 && countedTo < toMs) countOn(toMs);
    return endMs;
  };
}
