import type { CalendarMessage } from '../model/index.ts';
import type { MessageRow } from '../ports/index.ts';

/** Returns the signed body: exactly eventType and timestamp for calendars (spec §6.2), with `data` for accounts. */
export function messageBody({ eventType, timestamp, data }: MessageRow): string {
  const body: CalendarMessage = { eventType, timestamp: new Date(timestamp).toISOString() };
  return JSON.stringify(data === null ? body : { ...body, data: JSON.parse(data) });
}
