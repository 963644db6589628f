import {
  type CalendarEvent,
  type EventCreate,
  type EventUpdate,
  eventUpdate,
  type NotifyAttendees,
  parseInput,
} from 'kalends/model';
import type { ToolContext } from '../tool.ts';
import { bodyFieldName, namingFields } from '../words/named-fields.ts';
import { emails } from './event-input.ts';

/** Most addresses that stand for all of an event's. */
const PEOPLE = 50;
/** Most attendees of a new event. */
const ATTENDEES = 200;
/** Stands for what an event keeps: its provider may have given it a title or times that no write may give. */
const KEPT: EventCreate = { title: '', start: { date: '2027-01-04' } };

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
  { mailed: people }: { readonly mailed: readonly string[] },
  written: Partial<EventCreate> = {},
  fieldOf?: (email: string) => string,
): Promise<void> {
  const { notifyAttendees: notify } = place;
  // Addresses that providers gave may be of any form.
  const known = notify === undefined ? [] : people.filter((email) => emails.element.safeParse(email).success);
  const added = (written.attendees ?? []).map(({ email }) => email);
  // Of those who are there some may go: they must not make the list too long.
  const standing = known.slice(0, Math.max(0, Math.min(PEOPLE, ATTENDEES - added.length)));
  const guests = new Map([...standing, ...added].map((email) => [email.toLowerCase(), email]));
  const body: EventCreate = {
    ...KEPT,
    ...written,
    attendees: [...guests.values()].map((email) => ({ email })),
  };
  await checkNew(context, place, body, fieldOf);
}

/** Checks a changed list of attendees as a whole, with those who stay. @throws KalendsError */
export async function checkAttendees(event: CalendarEvent, attendees: EventUpdate['attendees']): Promise<void> {
  // The list that an event has is no change, however long it is.
  const isSame =
    attendees?.length === event.attendees.length && attendees.every((each, index) => each === event.attendees[index]);
  if (!isSame) parseInput(eventUpdate, { attendees });
}
