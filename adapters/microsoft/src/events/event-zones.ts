import { ianaToWindows, intlZones, resolveZone } from 'kalends/zones';

/** Exchange's names of UTC that no zone table has. */
const UTC_NAMES = new Set(['tzone://microsoft/utc', 'utc', 'coordinated universal time']);

/**
 * Returns the IANA name of a zone of Graph (Windows or IANA name); undefined for names without known rules, such
 * as `tzone://Microsoft/Custom` or `Customized Time Zone`.
 */
export function readZone(name: string | null | undefined): string | undefined {
  if (!name) return undefined;
  return UTC_NAMES.has(name.toLowerCase()) ? 'UTC' : resolveZone(name);
}

/** A zone in the user's spelling, and the name that was sent to Graph for it. */
interface KeptZone {
  readonly name: string;
  readonly sentAs: string;
}

/**
 * Returns the zone to show: the user's own spelling while Graph still has the zone sent for it, since a Windows name covers
 * several IANA zones; else Graph's zone, else the fallback.
 */
export function shownZone(graphName: string | null | undefined, kept: KeptZone | undefined, fallback: string): string {
  if (kept !== undefined && resolveZone(kept.name) !== undefined && isSameZone(graphName, kept.sentAs)) {
    return kept.name;
  }
  return readZone(graphName) ?? fallback;
}

function isSameZone(left: string | null | undefined, right: string): boolean {
  const [a, b] = [readZone(left), readZone(right)];
  if (a === undefined || b === undefined) return left === right;
  if (intlZones.canonicalName(a) === intlZones.canonicalName(b)) return true;
  const windows = ianaToWindows(a);
  return windows !== undefined && windows === ianaToWindows(b);
}

/** Naming of zones in a request: IANA's or, where Graph refused that, Windows'. */
export type ZoneNaming = 'iana' | 'windows';

/** Returns the name of a zone on the wire; undefined when Windows has none. */
export function sentZone(zone: string, naming: ZoneNaming): string | undefined {
  const iana = readZone(zone) ?? zone;
  return naming === 'iana' ? iana : ianaToWindows(iana);
}
