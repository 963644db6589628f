import type { IcsProperty } from 'kalends/icalendar';
import { DAY_MS, formatDate, formatWall, type IcsZones, instantOf, parseWall, wallAt } from 'kalends/zones';

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

/** The single time of a property. */
export function timeOfProperty(property: IcsProperty | undefined, zones: IcsZones): IcsTime | undefined {
  return property === undefined ? undefined : readIcsTime(property.raw, property.parameters['tzid'], zones);
}

export function isDate(time: IcsTime): boolean {
  return time.wall.length === 10;
}

export function wallMs(wall: string): number {
  const read = parseWall(wall);
  if (read === undefined) throw new RangeError(`not a wall time: ${wall}`);
  return read.wallMs;
}

/** The same instant as wall time of another zone; dates and floating times keep their reading. */
export function inZone(time: IcsTime, zone: string | null, calendarZone: string): string {
  if (isDate(time) || time.timeZone === zone) return time.wall;
  const from = time.timeZone ?? calendarZone;
  const to = zone ?? calendarZone;
  return from === to ? time.wall : formatWall(wallAt(to, instantOf(from, wallMs(time.wall))));
}

/** The calendar date on which a time falls, in its own zone (UTC times in the calendar's). */
export function dateOf(time: IcsTime, calendarZone: string): string {
  if (isDate(time)) return time.wall;
  const wall = time.timeZone === 'UTC' ? inZone(time, calendarZone, calendarZone) : time.wall;
  return wall.slice(0, 10);
}

/** A wall time moved by a duration, in the form of the start (dates move by whole days). */
export function shifted(wall: string, ms: number): string {
  const moved = wallMs(wall) + ms;
  return wall.length === 10
    ? formatDate(wallMs(wall) + Math.max(1, Math.ceil(ms / DAY_MS)) * DAY_MS)
    : formatWall(moved);
}

/** RFC 5545 §3.3.6 in milliseconds; undefined for anything else and for negative durations. */
export function readDuration(raw: string): number | undefined {
  const match = /^\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(raw.trim().toUpperCase());
  if (match === null) return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return (weeks * 7 + days) * DAY_MS + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/** `20260301T090000Z` of a wall time in a zone. */
export function utcStamp(wall: string, zone: string): string {
  return `${formatWall(instantOf(zone, wallMs(wall))).replaceAll(/[-:]/g, '')}Z`;
}

/** `20260301` or `20260301T090000`. */
export function basicStamp(wall: string): string {
  return wall.replaceAll(/[-:]/g, '');
}
