import { invalid } from '../errors.ts';
import { instantOf, resolveZone } from '../zones/index.ts';
import { hasFinerFraction, parseInputTime } from './input-time.ts';

/** The IANA name of a zone that a caller named. @throws KalendsError InvalidRequest naming the field */
export function requireZone(path: string, name: string): string {
  const zone = resolveZone(name);
  if (zone === undefined) throw invalid(path, `"${name}" is not a known IANA or Windows time zone name`);
  return zone;
}

/**
 * Returns the instant of a query time in whole milliseconds; without an offset it is in `zone`. Events lie on whole
 * milliseconds, so a finer bound is compared exactly when it is rounded into its window.
 * @throws KalendsError InvalidRequest naming the field
 */
export function queryInstant(path: string, text: string, zone: string, rounding: 'down' | 'up'): number {
  const written = parseInputTime(text);
  if (written === undefined) throw invalid(path, 'must be an ISO 8601 date-time');
  const ms = written.offsetMs === undefined ? instantOf(zone, written.wallMs) : written.wallMs - written.offsetMs;
  return rounding === 'up' && hasFinerFraction(text) ? ms + 1 : ms;
}
