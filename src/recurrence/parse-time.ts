import { DAY_MS, daysFromCivil, daysInMonth } from '../zones/civil.ts';
import { RecurrenceError } from './recurrence-error.ts';
import type { RecurrenceTime } from './recurrence-rule.ts';

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let index = from; index < to; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * Reads `20260301`, `20260301T090000` or `20260301T090000Z`; `tzid` is the zone that the property names, if any.
 * @throws RecurrenceError naming `part` for anything else and for dates and times that do not exist.
 */
export function parseTime(text: string, part: string, tzid?: string): RecurrenceTime {
  const year = digits(text, 0, 4);
  const month = digits(text, 4, 6);
  const day = digits(text, 6, 8);
  const dateExists = year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  if (!dateExists || text.length < 8) throw new RecurrenceError(part, `"${text}" is no date or date-time`);
  const midnight = daysFromCivil(year, month, day) * DAY_MS;
  if (text.length === 8) return { form: 'date', wallMs: midnight };
  const hour = digits(text, 9, 11);
  const minute = digits(text, 11, 13);
  const second = digits(text, 13, 15);
  const isUtc = text.length === 16 && text[15] === 'Z';
  const timeExists = hour <= 23 && minute <= 59 && second <= 60;
  if (!timeExists || text[8] !== 'T' || !(text.length === 15 || isUtc)) {
    throw new RecurrenceError(part, `"${text}" is no date or date-time`);
  }
  const wallMs = midnight + ((hour * 60 + minute) * 60 + Math.min(second, 59)) * 1000;
  if (isUtc) return { form: 'utc', wallMs };
  return tzid === undefined ? { form: 'local', wallMs } : { form: 'zoned', wallMs, tzid };
}

/**
 * Reads an RFC 5545 §3.3.6 duration such as `PT1H30M`, `P2D` or `P1W`, in milliseconds; days count 24 hours.
 * @throws RecurrenceError naming `part` for anything else.
 */
export function parseDuration(text: string, part: string): number {
  const match = /^\+?P(?:(\d{1,6})W|(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?)$/.exec(text);
  if (match === null || !/\d[A-Z]$/.test(text)) throw new RecurrenceError(part, `"${text}" is no duration`);
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((group) => Number(group ?? 0));
  return (((weeks * 7 + days) * 24 + hours) * 3600 + minutes * 60 + seconds) * 1000;
}
