import { occurrenceEnd, wallLength } from 'kalends/recurrence';
import { DAY_MS, formatInstant, formatWall, instantOf, intlZones, parseWall } from 'kalends/zones';
import { badRequest, required } from '../api/google-error.ts';
import type { Json, WireTime } from '../api/wire.ts';
import type { StoredTime } from '../google-state.ts';

const OFFSET = /^(.*?)(Z|z|[+-]\d{2}:?\d{2})$/;

/** Tells whether a name is an IANA zone; Google knows no Windows names. */
export function isKnownZone(name: unknown): name is string {
  return typeof name === 'string' && intlZones.canonicalName(name) !== undefined;
}

/**
 * Parses an RFC 3339 date-time with an offset; undefined for any other text.
 */
export function parseInstant(text: string): number | undefined {
  const match = OFFSET.exec(text);
  const wall = match === null ? undefined : parseWall(match[1] ?? '');
  if (match === null || wall === undefined || wall.dateOnly) return undefined;
  return wall.wallMs - offsetMs(match[2] ?? 'Z');
}

function offsetMs(text: string): number {
  if (text.toUpperCase() === 'Z') return 0;
  const sign = text.startsWith('-') ? -1 : 1;
  const digits = text.slice(1).replace(':', '');
  return sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2, 4))) * 60_000;
}

/**
 * Reads `start` or `end` of an event body.
 * @throws GoogleError as the API refuses it: both forms at once, a local time without zone, an unknown zone
 */
export function readTime(value: unknown, name: 'start' | 'end'): StoredTime {
  if (typeof value !== 'object' || value === null) throw required(`Missing ${name} time.`);
  const { date, dateTime, timeZone } = value as Json;
  if (date != null && dateTime != null) throw badRequest(`Invalid ${name} time.`);
  if (date == null && dateTime == null) throw required(`Missing ${name} time.`);
  if (timeZone != null && !isKnownZone(timeZone)) throw badRequest(`Invalid time zone definition for ${name} time.`);
  if (date != null) {
    const wall = typeof date === 'string' ? parseWall(date) : undefined;
    if (wall === undefined || !wall.dateOnly) throw badRequest(`Invalid value for: Invalid format: "${String(date)}"`);
    return { date: date as string };
  }
  if (typeof dateTime !== 'string') throw badRequest(`Invalid ${name} time.`);
  const zone = isKnownZone(timeZone) ? timeZone : null;
  const instant = parseInstant(dateTime);
  if (instant !== undefined) return { at: instant, timeZone: zone };
  const wall = parseWall(dateTime);
  if (wall === undefined || wall.dateOnly) throw badRequest(`Invalid value for: Invalid format: "${dateTime}"`);
  if (zone === null) throw required(`Missing time zone definition for ${name} time.`);
  return { at: instantOf(zone, wall.wallMs), timeZone: zone };
}

/** Formats an instant as Google does: the zone's local time with its offset, `Z` for zero. */
export function writeInstant(at: number, zone: string): string {
  return formatInstant(zone, at).replace(/\+00:00$/, 'Z');
}

/** Renders a moment in `displayZone`. */
export function writeTime(time: StoredTime, displayZone: string): WireTime {
  if ('date' in time) return { date: time.date };
  return { dateTime: writeInstant(time.at, displayZone), timeZone: time.timeZone ?? displayZone };
}

/** Returns midnight UTC of a calendar date, the integer form of all-day times. */
export function dateMs(date: string): number {
  const wall = parseWall(date);
  if (wall === undefined) throw new RangeError(`not a date: ${date}`);
  return wall.wallMs;
}

/** Returns the instant of a moment; all-day dates begin at midnight of `zone`. */
export function instantOfTime(time: StoredTime, zone: string): number {
  return 'date' in time ? instantOf(zone, dateMs(time.date)) : time.at;
}

/** Returns the suffix of an instance id: `20260301T140000Z`, or `20260301` for all-day. */
export function stampOf(time: StoredTime): string {
  if ('date' in time) return time.date.replaceAll('-', '');
  return `${formatWall(time.at).replace(/[-:]/g, '')}Z`;
}

/** Returns the end of a slot that starts elsewhere and lasts as long as [start, end) by the clocks of its zone. */
export function sameLength(start: StoredTime, end: StoredTime, slot: StoredTime): StoredTime {
  if ('date' in slot) {
    const days = 'date' in start && 'date' in end ? (dateMs(end.date) - dateMs(start.date)) / DAY_MS : 1;
    return { date: formatWall(dateMs(slot.date) + days * DAY_MS).slice(0, 10) };
  }
  if (!('at' in start && 'at' in end)) return slot;
  const zone = slot.timeZone ?? start.timeZone ?? 'UTC';
  const at = occurrenceEnd(zone, slot.at, wallLength(zone, start.at, end.at));
  return { at, timeZone: end.timeZone };
}

export function sameMoment(one: StoredTime, other: StoredTime): boolean {
  if ('date' in one || 'date' in other) return 'date' in one && 'date' in other && one.date === other.date;
  return one.at === other.at;
}
