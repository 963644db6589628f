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
