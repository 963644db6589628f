import { WINDOWS_ZONES } from './windows-zones.ts';
import { intlZones, type Zones } from './zones.ts';

const windowsByFoldedName = new Map(WINDOWS_ZONES.map(([windows, zone]) => [windows.toLowerCase(), zone]));

/** The IANA zone that CLDR gives for a Windows zone name (territory 001), or undefined. Case does not matter. */
export function windowsToIana(name: string): string | undefined {
  return windowsByFoldedName.get(name.toLowerCase());
}

const windowsByZone = new WeakMap<Zones, ReadonlyMap<string, string>>();

/** The Windows zone name of an IANA zone or alias, or undefined where Windows has none (Antarctica/Troll). */
export function ianaToWindows(zone: string, zones: Zones = intlZones): string | undefined {
  const canonical = zones.canonicalName(zone);
  if (canonical === undefined) return undefined;
  let table = windowsByZone.get(zones);
  if (table === undefined) {
    table = new Map(
      WINDOWS_ZONES.flatMap(([windows, , all]) =>
        all.split(' ').map((name) => [zones.canonicalName(name) ?? name, windows] as const),
      ),
    );
    windowsByZone.set(zones, table);
  }
  return table.get(canonical);
}

/**
 * The IANA name of a zone that a user or a provider named: an IANA name or alias comes back as it was spelled, a
 * Windows name as the zone it stands for. Undefined for anything else, offsets such as `+02:00` and `UTC+3` included.
 */
export function resolveZone(name: string, zones: Zones = intlZones): string | undefined {
  return zones.canonicalName(name) === undefined ? windowsToIana(name) : name;
}
