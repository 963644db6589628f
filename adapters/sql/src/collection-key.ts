import { CALENDAR_LIST } from './schema.ts';

/** The stored form of a collection's calendar id. */
export function toCalendarKey(calendarId: string | null): string {
  return calendarId ?? CALENDAR_LIST;
}

export function fromCalendarKey(calendarKey: string): string | null {
  return calendarKey === CALENDAR_LIST ? null : calendarKey;
}
