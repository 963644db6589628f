import { WINDOWS_ZONES } from './windows-zones.ts';
import { intlZones, type Zones } from './zones.ts';
import { ZONES_OF_WINDOWS } from './zones-of-windows.ts';

const windowsByFoldedName = new Map(
  Object.entries(WINDOWS_ZONES).map(([windows, zone]) => [windows.toLowerCase(), zone]),
);

/** Returns CLDR's IANA zone for a Windows zone name (territory 001, any case), or undefined. */
export function windowsToIana(name: string): string | undefined {
  return windowsByFoldedName.get(name.toLowerCase());
}

const windowsByZone = new WeakMap<Zones, ReadonlyMap<string, string>>();

/** Returns the Windows name of an IANA zone or alias, or undefined where Windows has none (Antarctica/Troll). */
export function ianaToWindows(zone: string, zones: Zones = intlZones): string | undefined {
  const canonical = zones.canonicalName(zone);
  if (canonical === undefined) return undefined;
  let table = windowsByZone.get(zones);
  if (table === undefined) {
    table = new Map(
      ZONES_OF_WINDOWS.flatMap(([windows, all]) =>
        all.split(' ').map((name) => [zones.canonicalName(name) ?? name, windows] as const),
      ),
    );
    windowsByZone.set(zones, table);
  }
  return table.get(canonical);
}

/**
 * Returns the IANA name of a zone as a user or a provider names it: an IANA name or alias keeps its spelling, a Windows
 * name becomes its zone. Undefined for anything else, including offsets such as `+02:00` and `UTC+3`.
 */
export function resolveZone(name: string, zones: Zones = intlZones): string | undefined {
  return zones.canonicalName(name) === undefined ? windowsToIana(name) : name;
}
