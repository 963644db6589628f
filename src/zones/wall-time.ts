import { DAY_MS, daysFromCivil, daysInMonth, packedCivil } from './civil.ts';

/** A wall clock reading: `wallMs` is its epoch milliseconds as if the clock showed UTC. */
export interface WallTime {
  readonly wallMs: number;
  /** True for a plain date, whose `wallMs` is its midnight. */
  readonly dateOnly: boolean;
}

const ZERO = 48;

/** Reads so many digits from a place on; NaN where there are others. */
export function digitsAt(text: string, at: number, length: number): number {
  let value = 0;
  for (let index = at; index < at + length; index++) {
    const digit = text.charCodeAt(index) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * Parses `2026-03-01T09:00:00` (also without seconds, or with a fraction, kept to the millisecond) or `2026-03-01`.
 * Returns undefined for anything else, for an offset or `Z` at the end, and for dates and times that do not exist. A leap
 * second becomes second 59 (RFC 5545 §3.3.12).
 */
export function parseWall(text: string): WallTime | undefined {
  if (text.length < 10 || text[4] !== '-' || text[7] !== '-') return undefined;
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 5, 2);
  const day = digitsAt(text, 8, 2);
  if (!(month >= 1 && month <= 12 && day >= 1 && year >= 0) || day > daysInMonth(year, month)) return undefined;
  const midnight = daysFromCivil(year, month, day) * DAY_MS;
  if (text.length === 10) return { wallMs: midnight, dateOnly: true };
  const ofDay = parseClock(text);
  return ofDay === undefined ? undefined : { wallMs: midnight + ofDay, dateOnly: false };
}

function parseClock(text: string): number | undefined {
  if (text.length < 16 || (text[10] !== 'T' && text[10] !== 't') || text[13] !== ':') return undefined;
  const hour = digitsAt(text, 11, 2);
  const minute = digitsAt(text, 14, 2);
  if (!(hour <= 23 && minute <= 59)) return undefined;
  if (text.length === 16) return (hour * 60 + minute) * 60_000;
  if (text.length < 19 || text[16] !== ':') return undefined;
  const second = digitsAt(text, 17, 2);
  const fraction = text.length === 19 ? 0 : parseFraction(text.slice(19));
  if (!(second <= 60) || fraction === undefined) return undefined;
  return ((hour * 60 + minute) * 60 + Math.min(second, 59)) * 1000 + fraction;
}

function parseFraction(text: string): number | undefined {
  return /^[.,]\d{1,9}$/.test(text) ? Number(text.slice(1, 4).padEnd(3, '0')) : undefined;
}

const TWO: readonly string[] = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));

function fourDigits(year: number): string {
  return String(year).padStart(4, '0');
}

/** Formats the date of a wall time as `YYYY-MM-DD`. */
export function formatDate(wallMs: number): string {
  const packed = packedCivil(Math.floor(wallMs / DAY_MS));
  return `${fourDigits(packed >> 9)}-${TWO[(packed >> 5) & 15]}-${TWO[packed & 31]}`;
}

/** Formats a wall time as `YYYY-MM-DDTHH:MM:SS`, dropping fractions of a second. */
export function formatWall(wallMs: number): string {
  const day = Math.floor(wallMs / DAY_MS);
  const seconds = Math.floor((wallMs - day * DAY_MS) / 1000);
  const minutes = (seconds / 60) | 0;
  return `${formatDate(wallMs)}T${TWO[(minutes / 60) | 0]}:${TWO[minutes % 60]}:${TWO[seconds % 60]}`;
}

/**
 * Formats a UTC offset as `±HH:MM`. An offset with seconds (local mean times before 1972) is rounded down to the minute,
 * the limit of ISO 8601.
 */
export function formatOffset(offsetMs: number): string {
  const minutes = Math.floor(Math.abs(offsetMs) / 60_000);
  return `${offsetMs < 0 ? '-' : '+'}${TWO[(minutes / 60) | 0]}:${TWO[minutes % 60]}`;
}
