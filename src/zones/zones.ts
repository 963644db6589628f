import { formatOffset, formatWall } from './wall-time.ts';
import { createIntlSource, type ZoneSource } from './zone-source.ts';
import { createZoneTable, type ZoneTable } from './zone-table.ts';

/** Time zones by name, answered from cached tables over one source. Share one per process. */
export interface Zones {
  /** The tz data version of the source. */
  readonly version: string;
  /** The one name of a zone and its aliases, or undefined for a name the source does not know. */
  canonicalName(name: string): string | undefined;
  /**
   * The table of a zone, shared by its aliases.
   * @throws RangeError for a name the source does not know.
   */
  tableOf(name: string): ZoneTable;
}

/** Builds zones over a source of tz data, such as a package that is newer than the runtime's own. */
export function createZones(source: ZoneSource): Zones {
  const names = new Map<string, string>();
  const tables = new Map<string, ZoneTable>();

  function canonicalName(name: string): string | undefined {
    const known = names.get(name);
    if (known !== undefined) return known;
    const canonical = source.canonicalName(name);
    if (canonical === undefined) return undefined;
    // The spellings of a name are many (case is free), so the memory of them is bounded.
    if (names.size >= 5000) names.clear();
    names.set(name, canonical);
    return canonical;
  }

  return {
    version: source.version,
    canonicalName,
    tableOf(name) {
      const canonical = canonicalName(name);
      if (canonical === undefined) throw new RangeError(`unknown time zone: ${name}`);
      let table = tables.get(canonical);
      if (table === undefined) {
        table = createZoneTable(source, canonical);
        tables.set(canonical, table);
      }
      return table;
    },
  };
}

/** The zones of the runtime's own tz data, shared by the process. */
export const intlZones: Zones = createZones(createIntlSource(process.versions['tz'] ?? 'unknown'));

/** The version of the tz data behind `zones`, for instance `2025c`. */
export function zoneDataVersion(zones: Zones = intlZones): string {
  return zones.version;
}

/**
 * The offset of a zone's local time from UTC at an instant, in milliseconds, east positive.
 * @throws RangeError for an unknown zone.
 */
export function offsetAt(zone: string, epochMs: number, zones: Zones = intlZones): number {
  return zones.tableOf(zone).spanAt(epochMs).offsetMs;
}

/**
 * What the clocks of a zone show at an instant, as the epoch milliseconds of the same reading in UTC.
 * @throws RangeError for an unknown zone.
 */
export function wallAt(zone: string, epochMs: number, zones: Zones = intlZones): number {
  return epochMs + offsetAt(zone, epochMs, zones);
}

/**
 * The instant of a wall time in a zone. A time that does not exist is read with the offset before the gap, one that
 * exists twice is its first (RFC 5545 §3.3.5).
 * @throws RangeError for an unknown zone.
 */
export function instantOf(zone: string, wallMs: number, zones: Zones = intlZones): number {
  return wallMs - zones.tableOf(zone).spanOfWall(wallMs).offsetMs;
}

/**
 * An instant as the zone's local time with its offset, `2026-03-01T09:00:00-05:00`: seconds always, no fraction,
 * UTC as `+00:00`.
 * @throws RangeError for an unknown zone.
 */
export function formatInstant(zone: string, epochMs: number, zones: Zones = intlZones): string {
  const offset = offsetAt(zone, epochMs, zones);
  return formatWall(epochMs + offset) + formatOffset(offset);
}
