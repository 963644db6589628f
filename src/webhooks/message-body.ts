import type { CalendarMessage } from '../model/index.ts';
import type { MessageRow } from '../ports/index.ts';

/** The bytes that are signed: exactly eventType and timestamp for calendars (spec §6.2), and `data` for accounts. */
export function messageBody({ eventType, timestamp, data }: MessageRow): string {
  const body: CalendarMessage = { eventType, timestamp: new Date(timestamp).toISOString() };
  return JSON.stringify(data === null ? body : { ...body, data: JSON.parse(data) });
}
