import { DateTime } from 'luxon';
import type { WrittenTime } from '../sync/event-time.ts';

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

/** What is wrong with a text that `parseInputTime` cannot read. */
export function inputTimeRule(text: string): string {
  return SHAPE.test(text) ? 'is no date of the calendar, or no time of the day' : 'must be an ISO 8601 date-time';
}
