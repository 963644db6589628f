import type { EventUpdate } from '../model/index.ts';
import type { HeldSlot } from '../ports/index.ts';
import { formatInstant } from '../zones/index.ts';

/** A slot in the zone in which it was asked for. */
export interface ZonedSlot extends HeldSlot {
  readonly timeZone: string;
}

/** Returns a slot as answers show it. */
export function shownSlot({ startMs, endMs, timeZone }: ZonedSlot) {
  return { startDateTime: formatInstant(timeZone, startMs), endDateTime: formatInstant(timeZone, endMs), timeZone };
}

/** Start and end of an event, as writes have them: of times unless `isAllDay` says otherwise. */
export type EventTimes = Required<Pick<EventUpdate, 'start' | 'end'>> & Pick<EventUpdate, 'isAllDay'>;

/** Returns the times of an event that takes the slot. */
export function timesIn(slot: ZonedSlot): EventTimes {
  const { startDateTime, endDateTime, timeZone } = shownSlot(slot);
  return { start: { dateTime: startDateTime, timeZone }, end: { dateTime: endDateTime, timeZone } };
}

/** Whether a time is exactly that of a slot. */
export function isAt(time: HeldSlot, { startMs, endMs }: HeldSlot): boolean {
  return time.startMs === startMs && time.endMs === endMs;
}
