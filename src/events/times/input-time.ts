import { DateTime } from 'luxon';
import { invalid } from '../../errors.ts';
import { instantOf, resolveZone, type WrittenTime } from '../../zones/index.ts';

/**
 * Complete dates and date-times only: luxon alone would also read `T09:00` (today's date), weeks and ordinal dates.
 * Extended and basic form, as ISO 8601 has both.
 */
const SHAPE =
  /^(?:\d{4}-\d\d-\d\d|\d{8})(?:(T)\d\d(?::?\d\d(?::?\d\d(?:[.,]\d{1,9})?)?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/i;

/** Reads an ISO 8601 date or date-time that a caller wrote; undefined for anything else, 30 February included. */
export function parseInputTime(text: string): WrittenTime | undefined {
  const shape = SHAPE.exec(text);
  if (shape === null) return undefined;
  const parsed = DateTime.fromISO(text.toUpperCase(), { zone: 'utc', setZone: true });
  if (!parsed.isValid || parsed.year < 1) return undefined;
  const writtenOffsetMs = parsed.offset * 60_000;
  return {
    wallMs: parsed.toMillis() + writtenOffsetMs,
    offsetMs: shape[2] === undefined ? undefined : writtenOffsetMs,
    dateOnly: shape[1] === undefined,
  };
}

/** Whether a text that `parseInputTime` reads has a fraction of a second that is not zero. */
export function hasFraction(text: string): boolean {
  return /[.,]0*[1-9]/.test(text);
}

/** Whether it has one beyond the milliseconds, which `parseInputTime` leaves out. */
export function hasFinerFraction(text: string): boolean {
  return /[.,]\d{3}0*[1-9]/.test(text);
}

/** Returns the rule that a text breaks which `parseInputTime` cannot read. */
export function inputTimeRule(text: string): string {
  return SHAPE.test(text) ? 'is no date of the calendar, or no time of the day' : 'must be an ISO 8601 date-time';
}

/** Returns the IANA name of a zone that a caller named. @throws KalendsError InvalidRequest naming the field */
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
