import { instantOf, intlZones, type Zones } from '../zones/index.ts';
import type { Slot } from './interval-set.ts';

/**
 * Returns the instants that an all-day event covers in a calendar's zone: from the start of its first day to the start of
 * the day after its last, so a day of a clock change has 23 or 25 hours. `startWallMs` and `endWallMs` are midnights as if
 * in UTC, the end exclusive. A midnight that does not exist takes the offset before the gap.
 * @throws RangeError for an unknown zone.
 */
export function allDaySlot(startWallMs: number, endWallMs: number, zone: string, zones: Zones = intlZones): Slot {
  return { startMs: instantOf(zone, startWallMs, zones), endMs: instantOf(zone, endWallMs, zones) };
}
