import { formatInstant, formatWall, instantOf } from 'kalends/zones';
import { ToolRefusal } from '../tool-refusal.ts';
import type { EventTimes } from '../words/time-words.ts';

/** Times of an event: instants in milliseconds, and those of an all-day event its midnights as if in UTC. */
export interface TimeSpan {
  readonly startMs: number;
  readonly endMs: number;
  readonly isAllDay: boolean;
  readonly timeZone: string;
}

/** Returns the point of a wall time, as if in UTC. A time that the clocks skip is as much later. */
export function pointOf(wallMs: number, { isAllDay, timeZone }: Pick<TimeSpan, 'isAllDay' | 'timeZone'>): number {
  return isAllDay ? wallMs : instantOf(timeZone, wallMs);
}

/**
 * Checks an end that was sent: a timed event may end as it begins, where both were written alike.
 * @param startWallMs start, as it was written
 * @param endWallMs end, as it was written
 * @throws ToolRefusal
 */
export function checkEnd({ startMs, endMs, isAllDay }: TimeSpan, startWallMs: number, endWallMs: number): void {
  if (endMs > startMs || (endMs === startMs && !isAllDay && endWallMs === startWallMs)) return;
  const isSkipped = endWallMs > startWallMs;
  throw new ToolRefusal(
    isSkipped ? 'end: must be after start, which the clocks skip on that day.' : 'end: must be after start.',
  );
}

/** Instants that have a year of four digits in every zone: the engine takes no others. */
const EARLIEST_MS = Date.parse('0001-01-02T00:00:00Z');
const LATEST_MS = Date.parse('9999-12-31T00:00:00Z');

/** Checks that times can be shown with a year of four digits. @throws ToolRefusal */
export function checkYears({ startMs, endMs }: TimeSpan): void {
  const isBeyond = startMs < EARLIEST_MS || startMs > LATEST_MS;
  if (!isBeyond && endMs <= LATEST_MS) return;
  throw new ToolRefusal(`${isBeyond ? 'start' : 'end'}: must lie between the years 1 and 9999.`);
}

/** Returns times as the engine shows them. */
export function shownTimes({ startMs, endMs, isAllDay, timeZone }: TimeSpan): EventTimes {
  const point = (ms: number) => ({ dateTime: isAllDay ? formatWall(ms) : formatInstant(timeZone, ms), timeZone });
  return { start: point(startMs), end: point(endMs), isAllDay };
}
