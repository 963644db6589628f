import { invalid } from '../errors.ts';
import { instantOf, resolveZone } from '../zones/index.ts';
import { parseInputTime } from './input-time.ts';

/** The IANA name of a zone that a caller named. @throws KalendsError InvalidRequest naming the field */
export function requireZone(path: string, name: string): string {
  const zone = resolveZone(name);
  if (zone === undefined) throw invalid(path, `"${name}" is not a known IANA or Windows time zone name`);
  return zone;
}

/** The instant of a query time; without an offset it is in `zone`. @throws KalendsError InvalidRequest naming the field */
export function queryInstant(path: string, text: string, zone: string): number {
  const written = parseInputTime(text);
  if (written === undefined) throw invalid(path, 'must be an ISO 8601 date-time');
  return written.offsetMs === undefined ? instantOf(zone, written.wallMs) : written.wallMs - written.offsetMs;
}
