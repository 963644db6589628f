import { parseDateTime, resolveZone } from 'kalends/zones';
import { z } from 'zod';
import { ToolRefusal } from '../tool-refusal.ts';
import { WEEKDAYS, weekdayName } from '../words/time-words.ts';

const id = (description: string) => z.string().min(1).max(2_048).describe(description);

export const accountId = id('From list_accounts.');
export const calendarId = id('From list_calendars.');
export const eventId = id('From list_events, list_occurrences or search_events, copied exactly.');
export const calendarIds = z
  .array(calendarId)
  .min(1)
  .max(50)
  .optional()
  .describe('Only these calendars. By default all of the account.');
export const pageToken = z.string().max(16_384).optional().describe('From the end of the answer before.');

const LOCAL = 'Local time without an offset such as 2026-03-03T10:00, or a day such as 2026-03-03';
export const localTime = (description: string) => z.string().max(32).describe(`${LOCAL}. ${description}`);
export const timeZone = z.string().max(64).optional().describe('IANA time zone name.');
/** Zone of a list over several calendars. */
export const windowZone = timeZone.describe(
  'Zone of from and to and of the times shown. By default that of the calendars where they share one, else of the primary calendar.',
);
export const startWeekday = z
  .enum(WEEKDAYS)
  .optional()
  .describe('Weekday that start should be; the call is refused when it is another one.');

/** A local time or day of an argument. */
export interface LocalTime {
  /** As if in UTC. */
  readonly wallMs: number;
  readonly isDay: boolean;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Reads a local time or a day. @throws ToolRefusal naming the field */
export function readLocal(field: string, text: string): LocalTime {
  const written = parseDateTime(text);
  const day = text.slice(0, 10);
  if (written === undefined && DAY.test(day) && parseDateTime(day) === undefined) {
    throw new ToolRefusal(`${field}: there is no such day as ${day}.`);
  }
  if (written === undefined) throw new ToolRefusal(`${field}: must be like 2026-03-03T10:00 or 2026-03-03.`);
  if (written.offsetMs !== undefined) {
    throw new ToolRefusal(`${field}: must be local time without Z or an offset; name the zone in timeZone.`);
  }
  return { wallMs: written.wallMs, isDay: written.dateOnly };
}

/** Returns the IANA name of a time zone that is named so or as Windows does. @throws ToolRefusal */
export function readZone(name: string): string {
  const zone = resolveZone(name);
  if (zone !== undefined) return zone;
  throw new ToolRefusal('timeZone: must be an IANA time zone name such as Europe/London.');
}

/** @throws ToolRefusal when a start is not on the weekday that was said */
export function checkWeekday(start: LocalTime | undefined, said: (typeof WEEKDAYS)[number] | undefined): void {
  if (said === undefined) return;
  if (start === undefined) throw new ToolRefusal('startWeekday: needs start beside it.');
  const weekday = weekdayName(start.wallMs);
  if (weekday === said) return;
  throw new ToolRefusal(`startWeekday: start is a ${weekday}, not a ${said}. Correct the date or the weekday.`);
}
