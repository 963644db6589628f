import { formatOffset, formatWall } from './wall-time.ts';
import { createIntlSource, type ZoneSource } from './zone-source.ts';
import { createZoneTable, type ZoneTable } from './zone-table.ts';

/** Time zones by name, cached over one source. Share one instance per process. */
export interface Zones {
  /** Returns the common name of a zone and its aliases, or undefined for an unknown name. */
  canonicalName(name: string): string | undefined;
  /**
   * Returns the table of a zone, shared by its aliases.
   * @throws RangeError for an unknown name
   */
  tableOf(name: string): ZoneTable;
}

/** Creates zones over a source of tz data, such as a package that is newer than the runtime's own. */
export function createZones(source: ZoneSource): Zones {
  const names = new Map<string, string>();
  const tables = new Map<string, ZoneTable>();

  function canonicalName(name: string): string | undefined {
    const known = names.get(name);
    if (known !== undefined) return known;
    const canonical = source.canonicalName(name);
    if (canonical === undefined) return undefined;
    // A name has many spellings (any case), so this cache is bounded.
    if (names.size >= 5000) names.clear();
    names.set(name, canonical);
    return canonical;
  }

  return {
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

/** Zones of the runtime's own tz data, shared by the process. */
export const intlZones: Zones = createZones(createIntlSource());

/**
 * Returns the offset of a zone's local time from UTC at an instant, in milliseconds, east positive.
 * @throws RangeError for an unknown zone.
 */
export function offsetAt(zone: string, epochMs: number, zones: Zones = intlZones): number {
  return zones.tableOf(zone).spanAt(epochMs).offsetMs;
}

/**
 * Returns the wall time of a zone at an instant, as the epoch milliseconds of the same reading in UTC.
 * @throws RangeError for an unknown zone.
 */
export function wallAt(zone: string, epochMs: number, zones: Zones = intlZones): number {
  return epochMs + offsetAt(zone, epochMs, zones);
}

/**
 * Returns the instant of a wall time in a zone. A time that does not exist takes the offset before the gap, an ambiguous
 * one is the first (RFC 5545 §3.3.5).
 * @throws RangeError for an unknown zone.
 */
export function instantOf(zone: string, wallMs: number, zones: Zones = intlZones): number {
  return wallMs - zones.tableOf(zone).spanOfWall(wallMs).offsetMs;
}

/**
 * Formats an instant as the zone's local time with its offset, `2026-03-01T09:00:00-05:00`: seconds always, no fraction,
 * UTC as `+00:00`.
 * @throws RangeError for an unknown zone.
 */
export function formatInstant(zone: string, epochMs: number, zones: Zones = intlZones): string {
  const offset = offsetAt(zone, epochMs, zones);
  return formatWall(epochMs + offset) + formatOffset(offset);
}
