export { DAY_MS, daysFromCivil, weekdayOf } from './civil.ts';
export { instantOfText, nominalWallOf, parseDateTime, type WrittenTime, wallOfText } from './date-time.ts';
export { createIcsZones, type IcsZones } from './ics-zones.ts';
export type { IcsZoneComponent } from './observances.ts';
export { formatDate, formatOffset, formatWall, parseWall, type WallTime } from './wall-time.ts';
export { ianaToWindows, resolveZone, windowsToIana } from './zone-names.ts';
export { zoneOfOffset, zoneOfTzid } from './zone-of-tzid.ts';
export { createIntlSource, type ZoneSource } from './zone-source.ts';
export type { ZoneSpan, ZoneTable } from './zone-table.ts';
export {
  createZones,
  formatInstant,
  instantOf,
  intlZones,
  offsetAt,
  wallAt,
  type Zones,
} from './zones.ts';
