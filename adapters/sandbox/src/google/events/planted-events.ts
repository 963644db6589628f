import { parseRecurrence, RecurrenceError } from 'kalends/recurrence';
import { parseWall } from 'kalends/zones';
import { GoogleError } from '../api/google-error.ts';
import { isObject } from '../api/json.ts';
import type { Json } from '../api/wire.ts';
import { type GoogleContext, nextOrdinal } from '../google-context.ts';
import type { StoredCalendar, StoredEvent, StoredTime } from '../google-state.ts';
import { touchEvent } from './event-store.ts';
import { readTime } from './event-time.ts';

const BASE32HEX = '0123456789abcdefghijklmnopqrstuv';
const STAMP = /_(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})Z)?$/;

/**
 * Puts an event into a calendar as Google's own JSON, however odd: lists and reads answer exactly that until the event is
 * written to. Fields that the server needs itself, and that the JSON lacks, are taken from the id or the start.
 */
export function plantEvent(context: GoogleContext, calendar: StoredCalendar, wire: Json): StoredEvent {
  const id = typeof wire['id'] === 'string' ? wire['id'] : context.kernel.randomText(26, BASE32HEX);
  const now = context.kernel.clock.now();
  const recurringEventId = typeof wire['recurringEventId'] === 'string' ? wire['recurringEventId'] : undefined;
  const slot = timeOf(wire['originalStartTime']) ?? timeOfStamp(id);
  const start = timeOf(wire['start']) ?? slot ?? { at: now, timeZone: 'UTC' };
  const recurrence = readableLines(wire['recurrence']);
  const event: StoredEvent = {
    id,
    iCalUID: typeof wire['iCalUID'] === 'string' ? wire['iCalUID'] : `${recurringEventId ?? id}@google.com`,
    createdAt: now,
    updatedAt: now,
    revision: 0,
    ordinal: calendar.events[id]?.ordinal ?? nextOrdinal(context),
    cancelled: wire['status'] === 'cancelled',
    sequence: 0,
    creatorEmail: calendar.id,
    organizerEmail: calendar.id,
    ...(recurringEventId === undefined ? {} : { recurringEventId }),
    ...(recurringEventId === undefined || slot === undefined ? {} : { originalStart: slot }),
    fields: {
      ...(typeof wire['summary'] === 'string' ? { summary: wire['summary'] } : {}),
      start,
      end: endOf(start, timeOf(wire['end'])),
      eventType: 'default',
      status: 'confirmed',
      reminders: { useDefault: true },
      ...(recurrence.length === 0 ? {} : { recurrence }),
    },
  };
  calendar.events[id] = event;
  touchEvent(context, calendar, event);
  event.planted = wire;
  return event;
}

function timeOf(value: unknown): StoredTime | undefined {
  try {
    return readTime(value, 'start');
  } catch (error) {
    if (!(error instanceof GoogleError)) throw error;
    // The zone of a planted time may be one that the server does not know.
    const { timeZone, ...time } = isObject(value) ? value : {};
    return timeZone === undefined ? undefined : timeOf(time);
  }
}

function timeOfStamp(id: string): StoredTime | undefined {
  const [, year, month, day, hour, minute, second] = STAMP.exec(id) ?? [];
  if (year === undefined) return undefined;
  if (hour === undefined) return { date: `${year}-${month}-${day}` };
  const wall = parseWall(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
  return wall === undefined ? undefined : { at: wall.wallMs, timeZone: 'UTC' };
}

function endOf(start: StoredTime, end: StoredTime | undefined): StoredTime {
  return end !== undefined && 'date' in end === 'date' in start ? end : start;
}

/** Returns the lines that the server can expand; the planted JSON shows all of them. */
function readableLines(value: unknown): string[] {
  const lines = Array.isArray(value) ? value.filter((line): line is string => typeof line === 'string') : [];
  return lines.filter((line) => {
    try {
      const { rules, dates, exceptionDates, exceptionRules } = parseRecurrence([line]);
      return [rules, dates, exceptionDates, exceptionRules].some((part) => part.length > 0);
    } catch (error) {
      if (!(error instanceof RecurrenceError)) throw error;
      return false;
    }
  });
}
