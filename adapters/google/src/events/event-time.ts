import type { EventDateTime } from 'kalends/model';
import { type RecurrenceId, requireExpressible, unreadableField } from 'kalends/ports';
import { DAY_MS, formatDate, formatInstant, instantOf, parseWall, resolveZone } from 'kalends/zones';
import type { WireEvent, WireTime } from './event-wire.ts';

/** Start and end of an event in its content. */
export interface ContentTimes {
  readonly start: EventDateTime;
  readonly end: EventDateTime;
  readonly isAllDay: boolean;
}

const OFFSET = /(?:[zZ]|[+-]\d{2}:?\d{2})$/;

/**
 * Maps start and end. Timed: with the offset of the event's own zone, or the calendar's where the event names none or an
 * unknown one. An end without a zone takes the start's. An event whose end is missing or not after its start lasts no time,
 * an all-day one a day: Google has both (odoo/odoo#87646, allenporter/gcal_sync#225).
 */
export function readTimes(start: WireTime, end: WireTime | null | undefined, calendarZone: string): ContentTimes {
  if (start.date != null) {
    const day = (date: string) => ({ dateTime: `${readDate(date)}T00:00:00`, timeZone: '' });
    const last = end?.date != null && end.date > start.date ? end.date : dayAfter(start.date);
    return { start: day(start.date), end: day(last), isAllDay: true };
  }
  const startZone = zoneOf(start, calendarZone);
  const startMs = readInstant(start, startZone);
  const endTime = end?.dateTime == null ? start : end;
  const endZone = zoneOf(endTime, startZone);
  const endMs = Math.max(startMs, readInstant(endTime, endZone));
  return {
    start: { dateTime: formatInstant(startZone, startMs), timeZone: startZone },
    end: { dateTime: formatInstant(endZone, endMs), timeZone: endZone },
    isAllDay: false,
  };
}

/** @throws ProviderError unreadable */
function dayAfter(date: string): string {
  return formatDate((parseWall(readDate(date))?.wallMs ?? Number.NaN) + DAY_MS);
}

/** @throws ProviderError unreadable */
function readDate(text: string): string {
  const wall = parseWall(text);
  if (wall?.dateOnly !== true) throw unreadableField('date', 'must be a date');
  requireExpressible('date', wall.wallMs);
  return text;
}

function zoneOf(time: WireTime, fallback: string): string {
  return (time.timeZone == null ? undefined : (resolveZone(time.timeZone) ?? fixedZone(time.timeZone))) ?? fallback;
}

const NAMED_OFFSET = /^(?:GMT|UTC)([+-])(\d{1,2})(?::?(\d{2}))?$/i;

/** Returns the minutes east of Greenwich of a zone such as `GMT+01:00`, which no table has; undefined for other names. */
export function offsetOf(name: string): number | undefined {
  const [, sign, hours, minutes = '0'] = NAMED_OFFSET.exec(name) ?? [];
  if (hours === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** Zones without summer time, by their offsets in minutes. */
const FIXED_ZONES: Readonly<Record<number, string>> = {
  [-570]: 'Pacific/Marquesas',
  270: 'Asia/Kabul',
  330: 'Asia/Kolkata',
  345: 'Asia/Kathmandu',
  390: 'Asia/Yangon',
  525: 'Australia/Eucla',
  570: 'Australia/Darwin',
};

/** Returns the IANA zone of a fixed offset; the names with whole hours count west of Greenwich. */
function fixedZone(name: string): string | undefined {
  const minutes = offsetOf(name);
  if (minutes === undefined) return undefined;
  if (minutes % 60 !== 0) return FIXED_ZONES[minutes];
  const hours = Math.abs(minutes) / 60;
  return resolveZone(hours === 0 ? 'Etc/GMT' : `Etc/GMT${minutes < 0 ? '+' : '-'}${hours}`);
}

/** Tells whether a time is in an offset that no zone has all year, so that no series can be expanded in it. */
export function lacksZone({ timeZone }: WireTime): boolean {
  return timeZone != null && offsetOf(timeZone) !== undefined && zoneOf({ timeZone }, '') === '';
}

/**
 * Returns the instant of a dateTime; without an offset it is wall time in `zone`.
 * @throws ProviderError unreadable
 */
export function readInstant(time: WireTime, zone: string): number {
  const text = time.dateTime ?? '';
  if (OFFSET.test(text)) {
    return requireExpressible('dateTime', Date.parse(text));
  }
  const wallMs = requireExpressible('dateTime', parseWall(text)?.wallMs ?? Number.NaN);
  return requireExpressible('dateTime', instantOf(zone, wallMs));
}

/**
 * Returns the slot of an instance in its series: its original start or, where Google leaves that out, the end of its id. Its
 * start is no substitute: that of a moved instance is another slot's.
 * @throws ProviderError unreadable when it has neither
 */
export function readSlot(
  { id, originalStartTime: original }: Pick<WireEvent, 'id' | 'originalStartTime'>,
  calendarZone: string,
): RecurrenceId {
  if (!hasTime(original)) {
    const stamped = readStamp(id);
    if (stamped === undefined) throw unreadableField('originalStartTime', 'is required of an instance');
    return stamped.slot;
  }
  if (original.date != null) return { kind: 'date', date: readDate(original.date) };
  return { kind: 'instant', startMs: readInstant(original, zoneOf(original, calendarZone)) };
}

function hasTime(time: WireTime | null | undefined): time is WireTime {
  return time?.date != null || time?.dateTime != null;
}

const STAMP = /^(.+)_(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})Z)?$/;

/** Reads the id of an instance: that of its series, and the original start in UTC or as a date. Undefined for other ids. */
export function readStamp(id: string): { readonly seriesId: string; readonly slot: RecurrenceId } | undefined {
  const [, seriesId, year, month, day, hour, minute, second] = STAMP.exec(id) ?? [];
  if (seriesId === undefined) return undefined;
  const date = `${year}-${month}-${day}`;
  const wall = parseWall(hour === undefined ? date : `${date}T${hour}:${minute}:${second}`);
  if (wall === undefined) return undefined;
  return { seriesId, slot: wall.dateOnly ? { kind: 'date', date } : { kind: 'instant', startMs: wall.wallMs } };
}

export function isSameSlot(a: RecurrenceId, b: RecurrenceId): boolean {
  return a.kind === 'date' ? b.kind === 'date' && a.date === b.date : b.kind === 'instant' && a.startMs === b.startMs;
}

/** Returns a slot as a value of the parameter `originalStart`: a date, or an instant in UTC. */
export function writeSlot(slot: RecurrenceId): string {
  return slot.kind === 'date' ? slot.date : formatInstant('UTC', slot.startMs).replace('+00:00', 'Z');
}

/**
 * Returns one time of a PATCH body with its other form nulled: Google keeps what a patch leaves out, and refuses a time that
 * has both forms.
 */
export function writeTime(time: EventDateTime, isAllDay: boolean): Readonly<Record<string, string | null>> {
  return isAllDay
    ? { date: time.dateTime.slice(0, 10), dateTime: null, timeZone: null }
    : { date: null, dateTime: time.dateTime, timeZone: time.timeZone };
}
