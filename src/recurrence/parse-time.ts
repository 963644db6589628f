import { DAY_MS, daysFromCivil, daysInMonth } from '../zones/civil.ts';
import { digitsAt } from '../zones/wall-time.ts';
import { RecurrenceError } from './recurrence-error.ts';
import type { RecurrenceTime } from './recurrence-rule.ts';

/**
 * Parses `20260301`, `20260301T090000` or `20260301T090000Z`; `tzid` is the zone that the property names, if any.
 * @throws RecurrenceError naming `part` for anything else and for dates and times that do not exist.
 */
export function parseTime(text: string, part: string, tzid?: string): RecurrenceTime {
  const time = timeWithin(text, 0, text.length, tzid);
  if (time === undefined) throw new RecurrenceError(part, `"${text}" is no date or date-time`);
  return time;
}

/** Parses the same from a part of a text; undefined for anything else. Allocates only the time. */
export function timeWithin(text: string, from: number, to: number, tzid?: string): RecurrenceTime | undefined {
  const length = to - from;
  if (length !== 8 && length !== 15 && length !== 16) return undefined;
  const year = digitsAt(text, from, 4);
  const month = digitsAt(text, from + 4, 2);
  const day = digitsAt(text, from + 6, 2);
  const dateExists = year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  if (!dateExists) return undefined;
  const midnight = daysFromCivil(year, month, day) * DAY_MS;
  if (length === 8) return { form: 'date', wallMs: midnight };
  const hour = digitsAt(text, from + 9, 2);
  const minute = digitsAt(text, from + 11, 2);
  const second = digitsAt(text, from + 13, 2);
  const timeExists = hour <= 23 && minute <= 59 && second <= 60;
  if (!timeExists || text[from + 8] !== 'T' || (length === 16 && text[from + 15] !== 'Z')) return undefined;
  const wallMs = midnight + ((hour * 60 + minute) * 60 + Math.min(second, 59)) * 1000;
  if (length === 16) return { form: 'utc', wallMs };
  return tzid === undefined ? { form: 'local', wallMs } : { form: 'zoned', wallMs, tzid };
}

/**
 * Parses an RFC 5545 §3.3.6 duration such as `PT1H30M`, `P2D` or `P1W`, in milliseconds; days count 24 hours.
 * @throws RecurrenceError naming `part` for anything else.
 */
export function parseDuration(text: string, part: string): number {
  const match = /^\+?P(?:(\d{1,6})W|(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?)$/.exec(text);
  if (match === null || !/\d[A-Z]$/.test(text)) throw new RecurrenceError(part, `"${text}" is no duration`);
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((group) => Number(group ?? 0));
  return (((weeks * 7 + days) * 24 + hours) * 3600 + minutes * 60 + seconds) * 1000;
}
