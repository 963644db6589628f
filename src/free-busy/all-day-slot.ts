import { instantOf, intlZones, type Zones } from '../zones/index.ts';
import type { Slot } from './interval-set.ts';

/**
 * The instants that an all-day event covers in a calendar's zone: from the first moment of its first day to the first
 * moment of the day after its last, which are 23 or 25 hours apart where the clocks change. `startWallMs` and
 * `endWallMs` are midnights as if in UTC, the end exclusive. A midnight that does not exist is read with the offset
 * before the gap.
 * @throws RangeError for an unknown zone.
 */
export function allDaySlot(startWallMs: number, endWallMs: number, zone: string, zones: Zones = intlZones): Slot {
  return { startMs: instantOf(zone, startWallMs, zones), endMs: instantOf(zone, endWallMs, zones) };
}
