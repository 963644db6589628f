import { DAY_MS, formatWall, type IcsZones, instantOf, parseWall, wallAt } from '../../zones/index.ts';
import type { IcsProperty } from '../text/content-line.ts';

/** A DATE or DATE-TIME value of a file. */
export interface IcsTime {
  /** `YYYY-MM-DDTHH:MM:SS`, or `YYYY-MM-DD` for a date. */
  readonly wall: string;
  /** IANA zone; null for dates and floating times. */
  readonly timeZone: string | null;
}

const BASIC = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?(Z)?)?$/;

/**
 * Reads one value such as `20260301`, `20260301T090000` or `20260301T090000Z`; undefined for anything else. The text
 * decides between date and time, not VALUE: files that declare DATE and write a time mean the time.
 */
export function readIcsTime(raw: string, tzid: string | undefined, zones: IcsZones): IcsTime | undefined {
  const match = BASIC.exec(raw.trim().toUpperCase());
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = '00', utc] = match;
  const date = `${year}-${month}-${day}`;
  const wall = hour === undefined ? date : `${date}T${hour}:${minute}:${second}`;
  if (parseWall(wall) === undefined) return undefined;
  if (hour === undefined) return { wall, timeZone: null };
  if (utc !== undefined) return { wall, timeZone: 'UTC' };
  return { wall, timeZone: tzid === undefined || tzid === '' ? null : zones.resolve(tzid) };
}

/** Returns the time of a property with one value; undefined without one, or for one that is no time. */
export function timeOfProperty(property: IcsProperty | undefined, zones: IcsZones): IcsTime | undefined {
  return property === undefined ? undefined : readIcsTime(property.raw, property.parameters['tzid'], zones);
}

/** Returns whether a time is a date. */
export function isDate(time: IcsTime): boolean {
  return time.wall.length === 10;
}

/**
 * Returns a wall time as milliseconds since 1970, as if it were UTC.
 * @throws RangeError for another form
 */
export function wallMs(wall: string): number {
  const read = parseWall(wall);
  if (read === undefined) throw new RangeError(`not a wall time: ${wall}`);
  return read.wallMs;
}

/** Returns the same instant as wall time of another zone; dates and floating times keep their reading. */
export function inZone(time: IcsTime, zone: string | null, calendarZone: string): string {
  if (isDate(time) || time.timeZone === zone) return time.wall;
  const from = time.timeZone ?? calendarZone;
  const to = zone ?? calendarZone;
  return from === to ? time.wall : formatWall(wallAt(to, instantOf(from, wallMs(time.wall))));
}

/** Returns the calendar date on which a time falls, in its own zone (UTC times in the calendar's). */
export function dateOf(time: IcsTime, calendarZone: string): string {
  if (isDate(time)) return time.wall;
  const wall = time.timeZone === 'UTC' ? inZone(time, calendarZone, calendarZone) : time.wall;
  return wall.slice(0, 10);
}

/** A duration: its weeks and days are days of the calendar, its hours elapsed time (RFC 5545 §3.3.6). */
export interface IcsDuration {
  readonly days: number;
  readonly elapsedMs: number;
}

/** Reads a duration (RFC 5545 §3.3.6); undefined for anything else and for negative durations. */
export function readDurationParts(raw: string): IcsDuration | undefined {
  const match = /^\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(raw.trim().toUpperCase());
  if (match === null) return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return { days: weeks * 7 + days, elapsedMs: ((hours * 60 + minutes) * 60 + seconds) * 1000 };
}

/** Returns a duration (RFC 5545 §3.3.6) in milliseconds; undefined for anything else and for negative durations. */
export function readDuration(raw: string): number | undefined {
  const parts = readDurationParts(raw);
  return parts && parts.days * DAY_MS + parts.elapsedMs;
}
