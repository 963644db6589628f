import type { EventDateTime } from 'kalends/model';
import { ProviderError, type RecurrenceId } from 'kalends/ports';
import { formatInstant, instantOf, parseWall, resolveZone } from 'kalends/zones';
import type { WireTime } from './event-wire.ts';

/** Start and end of an event in its content. */
export interface ContentTimes {
  readonly start: EventDateTime;
  readonly end: EventDateTime;
  readonly isAllDay: boolean;
}

const OFFSET = /(?:[zZ]|[+-]\d{2}:?\d{2})$/;

/**
 * Maps start and end. Timed: with the offset of the event's own zone, or the calendar's where the event names none or an
 * unknown one. An end without a zone takes the start's.
 */
export function readTimes(start: WireTime, end: WireTime | null | undefined, calendarZone: string): ContentTimes {
  const endTime = end ?? start;
  if (start.date != null) {
    return {
      start: { dateTime: `${start.date}T00:00:00`, timeZone: '' },
      end: { dateTime: `${endTime.date ?? start.date}T00:00:00`, timeZone: '' },
      isAllDay: true,
    };
  }
  const startZone = zoneOf(start, calendarZone);
  const endZone = zoneOf(endTime, startZone);
  return {
    start: { dateTime: formatInstant(startZone, readInstant(start, startZone)), timeZone: startZone },
    end: { dateTime: formatInstant(endZone, readInstant(endTime, endZone)), timeZone: endZone },
    isAllDay: false,
  };
}

function zoneOf(time: WireTime, fallback: string): string {
  return (time.timeZone == null ? undefined : resolveZone(time.timeZone)) ?? fallback;
}

/**
 * Returns the instant of a dateTime; without an offset it is wall time in `zone`.
 * @throws ProviderError malformed
 */
export function readInstant(time: WireTime, zone: string): number {
  const text = time.dateTime ?? '';
  if (OFFSET.test(text)) {
    const at = Date.parse(text);
    if (!Number.isNaN(at)) return at;
  } else {
    const wall = parseWall(text);
    if (wall !== undefined) return instantOf(zone, wall.wallMs);
  }
  throw new ProviderError('malformed', `Google answered "${text}" where a date-time belongs`);
}

/** Returns the slot of an instance in its series. */
export function readSlot(original: WireTime, calendarZone: string): RecurrenceId {
  if (original.date != null) return { kind: 'date', date: original.date };
  return { kind: 'instant', startMs: readInstant(original, zoneOf(original, calendarZone)) };
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
