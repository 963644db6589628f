import { ianaToWindows, intlZones, resolveZone } from 'kalends/zones';
import type { WireEvent } from './event-wire.ts';

/** Exchange's names of UTC that no zone table has. */
const UTC_NAMES = new Set([
  'tzone://microsoft/utc',
  'utc',
  'coordinated universal time',
  '(utc) coordinated universal time',
]);

/** A fixed offset in whole hours, which other programs write as a zone. */
const WHOLE_HOURS = /^(?:GMT|UTC)([+-])(\d\d?)(?::?00)?$/i;

/**
 * Returns the IANA name of a zone of Graph (Windows or IANA name, or a fixed offset); undefined for names without known rules:
 * `tzone://Microsoft/Custom`, `Customized Time Zone`, display names, which do not tell places of one offset apart, and retired
 * Windows names, whose rules no IANA zone has.
 */
export function readZone(name: string | null | undefined): string | undefined {
  if (!name) return undefined;
  if (UTC_NAMES.has(name.toLowerCase())) return 'UTC';
  const [, sign, hours] = WHOLE_HOURS.exec(name) ?? [];
  if (sign === undefined || hours === undefined) return resolveZone(name);
  // POSIX counts westwards.
  return resolveZone(Number(hours) === 0 ? 'UTC' : `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`);
}

/** Returns a name that Graph takes back as it gave it; undefined for one without known rules, which it refuses. */
export function namedZone(name: string | null | undefined): string | undefined {
  return name && readZone(name) !== undefined ? name : undefined;
}

/** Returns the first name whose rules are known, else the first that is given. */
export function firstKnownZone(...names: readonly (string | null | undefined)[]): string | undefined {
  return (names.find((name) => readZone(name) !== undefined) || names.find((name) => name)) ?? undefined;
}

/** Returns Graph's name of the zone of an event, a series or an instance: one field may be unusable where another is not. */
export function zoneNameOf(wire: WireEvent): string | undefined {
  return firstKnownZone(
    wire.recurrence?.range.recurrenceTimeZone,
    wire.originalStartTimeZone,
    wire.originalEndTimeZone,
  );
}

/** A zone in the user's spelling, and the name that was sent to Graph for it. */
export interface KeptZone {
  readonly name: string;
  readonly sentAs: string;
  /** Of an occurrence: the instant that was sent with it. */
  readonly at?: number | undefined;
}

/**
 * Returns the zone to show of a point at an instant: the user's own spelling while Graph still has the zone sent for it, since a
 * Windows name covers several IANA zones; else Graph's zone, else the fallback. Of an occurrence Graph says the zone of its
 * series: the one sent for it holds as long as it is at that instant.
 */
export function shownZone(
  graphName: string | null | undefined,
  kept: KeptZone | undefined,
  fallback: string,
  at?: number,
): string {
  if (kept !== undefined && resolveZone(kept.name) !== undefined) {
    if (isSameZone(graphName, kept.sentAs) || (kept.at !== undefined && kept.at === at)) return kept.name;
  }
  return readZone(graphName) ?? fallback;
}

/** Whether two of Graph's names mean zones that it does not tell apart. */
export function isSameZone(left: string | null | undefined, right: string): boolean {
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
