import type { CalendarEvent, EventCreate, NotifyAttendees } from 'kalends/model';
import type { ToolContext } from '../tool.ts';
import { bodyFieldName, namingFields } from '../words/named-fields.ts';
import { emails } from './event-input.ts';

/** Most addresses that stand for all of an event's. */
const PEOPLE = 50;

interface WrittenPlace {
  readonly accountId: string;
  readonly calendarId: string;
  readonly notifyAttendees?: NotifyAttendees | undefined;
}

/** Checks a new event, so that no preview is issued for what the write would refuse. @throws KalendsError */
export async function checkNew(
  { engine, caller }: ToolContext,
  { accountId, calendarId, notifyAttendees }: WrittenPlace,
  body: EventCreate,
  fieldOf: (email: string) => string = () => 'attendees',
): Promise<void> {
  const attendees = (body.attendees ?? []).map(({ email }) => email);
  const check = engine.events.check(caller, accountId, calendarId, body, notifyAttendees && { notifyAttendees });
  await namingFields(bodyFieldName(attendees, fieldOf), check);
}

/**
 * Checks what a write gives an event that is there, and whether its mail can be withheld, as those of a new event with the same people.
 * @throws KalendsError
 */
export async function checkEdit(
  context: ToolContext,
  place: WrittenPlace,
  { event, mailed: people }: { readonly event: CalendarEvent; readonly mailed: readonly string[] },
  written: Partial<EventCreate> = {},
  fieldOf?: (email: string) => string,
): Promise<void> {
  const { notifyAttendees: notify } = place;
  // Addresses that providers gave may be of any form.
  const known = notify === undefined ? [] : people.filter((email) => emails.element.safeParse(email).success);
  const guests = new Map([...known.slice(0, PEOPLE)].map((email) => [email.toLowerCase(), email]));
  for (const { email } of written.attendees ?? []) guests.set(email.toLowerCase(), email);
  const { start, isAllDay } = event;
  const day = { date: start.dateTime.slice(0, 10) };
  const body: EventCreate = {
    title: event.title,
    start: isAllDay ? day : start,
    ...written,
    attendees: [...guests.values()].map((email) => ({ email })),
  };
  await checkNew(context, place, body, fieldOf);
}
