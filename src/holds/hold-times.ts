import type { HoldReach } from '../ports/index.ts';

/** For how long a slot is held unless its caller says otherwise. */
export const DEFAULT_TTL_MS = 300_000;
/** For how long a hold that has expired can be read, and a confirmation that was left be repeated. */
export const HOLD_KEPT_MS = 86_400_000;
/** Time for the calls of a write to the provider. */
export const WRITE_MS = 120_000;
const WRITE_EACH_MS = 300_000;
/** A booking takes its slot for so long besides, until the mirrors of all participants show the event. */
export const SETTLING_MS = 600_000;
/** For how long after its time upkeep looks for the events of a hold: its process may have stood still. */
export const LATE_WRITE_MS = 600_000;
/** For how long a booking can be moved or cancelled after its end. */
export const BOOKING_KEPT_MS = 30 * 86_400_000;

/** Returns the time for the calls of a confirmation. */
export function writeMs(writeTo: HoldReach): number {
  return writeTo === 'each' ? WRITE_EACH_MS : WRITE_MS;
}
