import { ianaToWindows, intlZones, resolveZone } from 'kalends/zones';

/** Names of UTC that Exchange writes and no zone table knows. */
const UTC_NAMES = new Set(['tzone://microsoft/utc', 'utc', 'coordinated universal time']);

/**
 * The IANA name behind a zone of Graph (Windows or IANA name); undefined for names that stand for no known rules, such
 * as `tzone://Microsoft/Custom` or `Customized Time Zone`.
 */
export function readZone(name: string | null | undefined): string | undefined {
  if (!name) return undefined;
  return UTC_NAMES.has(name.toLowerCase()) ? 'UTC' : resolveZone(name);
}

/** A zone as the user spelled it, and the name that was sent to Graph for it. */
interface KeptZone {
  readonly name: string;
  readonly sentAs: string;
}

/**
 * The zone to show: the user's own spelling while Graph still has the zone that was sent for it, since Windows names
 * cover several IANA zones each; else what Graph says, else the fallback.
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

/** How zones are named in a request: as IANA does, or, where Graph refused that, as Windows does. */
export type ZoneNaming = 'iana' | 'windows';

/** The name under which a zone is sent; undefined when Windows has none for it. */
export function sentZone(zone: string, naming: ZoneNaming): string | undefined {
  const iana = readZone(zone) ?? zone;
  return naming === 'iana' ? iana : ianaToWindows(iana);
}
