import { DAY_MS } from '../zones/civil.ts';
import type { ZoneTable } from '../zones/zone-table.ts';
import { DAY_SECONDS, nextTime } from './clock-parts.ts';
import type { Occurrence } from './occurrence.ts';
import { pickPositions } from './set-positions.ts';
import type { SubDailyRule } from './sub-daily-rule.ts';

/**
 * Returns the slots of a window in milliseconds from its start. The window begins at a time of day, in seconds,
 * under one offset; `today` and `tomorrow` say whether the dates pass.
 */
export type WindowSlots = (time: number, today: boolean, tomorrow: boolean) => readonly number[];

const NO_SLOTS: readonly number[] = [];

/** Creates the cache of a rule's windows: at most as many as minutes in a day, at any interval. */
export function createWindowSlots(rule: SubDailyRule): WindowSlots {
  const { clock, positions } = rule;
  const { hours, minutes } = clock;
  const length = rule.lengthMs / 1000;
  const known = new Map<number, readonly number[]>();
  /** Slots of a whole clock hour or minute that passes; they are all alike. */
  let whole: readonly number[] | undefined;

  function slotsFrom(time: number, today: boolean, tomorrow: boolean): readonly number[] {
    const found: number[] = [];
    const collect = (from: number, to: number, start: number) => {
      for (let at = nextTime(clock, from); at < to; at = nextTime(clock, at + 1)) found.push((at - start) * 1000);
    };
    if (today) collect(time, Math.min(time + length, DAY_SECONDS), time);
    if (tomorrow) collect(0, time + length - DAY_SECONDS, time - DAY_SECONDS);
    return pickPositions(found, positions);
  }

  return (time, today, tomorrow) => {
    if (time % length === 0) {
      if (!today || hours[(time / 3600) | 0]! * 3600 > time) return NO_SLOTS;
      if (length === 60 && minutes[((time / 60) | 0) % 60] !== ((time / 60) | 0) % 60) return NO_SLOTS;
      whole ??= slotsFrom(time, true, false);
      return whole;
    }
    const key = time * 4 + (today ? 2 : 0) + (tomorrow ? 1 : 0);
    let slots = known.get(key);
    if (slots === undefined) {
      slots = slotsFrom(time, today, tomorrow);
      known.set(key, slots);
    }
    return slots;
  };
}

/** Returns the slots of a window over which the offset may change: each instant is tested under its own. */
export function slotsAcross(rule: SubDailyRule, table: ZoneTable, windowMs: number): readonly Occurrence[] {
  const { nextDay, clock, positions } = rule;
  const endMs = windowMs + rule.lengthMs;
  const found: Occurrence[] = [];
  for (let at = windowMs; at < endMs; ) {
    const { offsetMs, toMs } = table.spanAt(at);
    const day = Math.floor((at + offsetMs) / DAY_MS);
    const midnight = day * DAY_MS - offsetMs;
    const end = Math.min(endMs, toMs, midnight + DAY_MS);
    if (nextDay === undefined || nextDay(day) === day) {
      const last = (end - midnight) / 1000;
      for (let time = nextTime(clock, (at - midnight) / 1000); time < last; time = nextTime(clock, time + 1)) {
        const startMs = midnight + time * 1000;
        found.push({ startMs, wallMs: startMs + offsetMs });
      }
    }
    at = end;
  }
  return pickPositions(found, positions);
}
