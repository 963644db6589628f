import { badRequest, forbidden, GoogleError, required } from '../api/google-error.ts';
import { mergePatch, readString } from '../api/json.ts';
import type { Json } from '../api/wire.ts';
import { isKnownZone } from '../events/event-time.ts';
import { removeFound } from '../events/event-writes.ts';
import { type Caller, etagOf, findMailbox, type GoogleContext, nextRevision } from '../google-context.ts';
import type { StoredCalendar } from '../google-state.ts';
import { type AccessedCalendar, addListEntry, setRole } from './calendar-access.ts';
import { conferenceSolutionsOf } from './conference-solutions.ts';

/** Renders a calendar resource as the API does. */
export function renderCalendar(calendar: StoredCalendar): Json {
  return {
    kind: 'calendar#calendar',
    etag: etagOf(calendar.revision),
    id: calendar.id,
    summary: calendar.summary,
    ...(calendar.description === undefined ? {} : { description: calendar.description }),
    ...(calendar.location === undefined ? {} : { location: calendar.location }),
    timeZone: calendar.timeZone,
    ...(calendar.kind === 'secondary' ? { dataOwner: calendar.dataOwner } : {}),
    conferenceProperties: { allowedConferenceSolutionTypes: conferenceSolutionsOf(calendar) },
  };
}

/** `POST /calendars`: creates a secondary calendar, and its entry in the owner's list. */
export function insertCalendar(context: GoogleContext, caller: Caller, body: Json): StoredCalendar {
  const calendar = createCalendar(context, caller.mailbox.email, {
    summary: '',
    timeZone: caller.mailbox.timeZone,
  });
  try {
    applyBody(calendar, { timeZone: caller.mailbox.timeZone, ...body });
  } catch (error) {
    delete context.state.calendars[calendar.id];
    throw error;
  }
  addListEntry(context, caller.mailbox, calendar);
  return calendar;
}

/** Creates an empty secondary calendar of a mailbox, without an entry in any list. */
export function createCalendar(
  context: GoogleContext,
  ownerEmail: string,
  parts: { readonly summary: string; readonly timeZone: string },
): StoredCalendar {
  const calendar: StoredCalendar = {
    id: `c_${context.kernel.randomText(40)}@group.calendar.google.com`,
    kind: 'secondary',
    summary: parts.summary,
    timeZone: parts.timeZone,
    dataOwner: ownerEmail,
    revision: nextRevision(context),
    acl: { [ownerEmail]: 'owner' },
    events: {},
  };
  context.state.calendars[calendar.id] = calendar;
  return calendar;
}

/** PATCH or PUT. The calendar's list entries do not change, so incremental calendar lists do not show it. */
export function changeCalendar(
  context: GoogleContext,
  { calendar }: AccessedCalendar,
  body: Json,
  method: 'patch' | 'put',
): void {
  const { summary, description, location, timeZone } = calendar;
  const writable: Json = {
    summary,
    timeZone,
    ...(description === undefined ? {} : { description }),
    ...(location === undefined ? {} : { location }),
  };
  applyBody(calendar, method === 'put' ? { timeZone, ...body } : mergePatch(writable, body));
  calendar.revision = nextRevision(context);
}

function applyBody(calendar: StoredCalendar, body: Json): void {
  const summary = readString(body, 'summary');
  if (summary === undefined || summary === '') throw required('Missing title.');
  const timeZone = body['timeZone'];
  if (!isKnownZone(timeZone)) throw badRequest('Invalid time zone.');
  const description = readString(body, 'description');
  const location = readString(body, 'location');
  calendar.summary = summary;
  calendar.timeZone = timeZone;
  if (description === undefined || description === '') delete calendar.description;
  else calendar.description = description;
  if (location === undefined || location === '') delete calendar.location;
  else calendar.location = location;
}

/** `DELETE /calendars/{id}`. @throws GoogleError 403 for a primary calendar and for calendars of others */
export function deleteCalendar(context: GoogleContext, caller: Caller, { calendar }: AccessedCalendar): void {
  if (calendar.kind === 'primary') {
    throw new GoogleError(403, 'cannotDeletePrimaryCalendar', 'Primary calendars cannot be deleted.', {
      domain: 'calendar',
    });
  }
  if (calendar.dataOwner !== caller.mailbox.email) throw forbidden('Only the data owner can delete a calendar.');
  clearEvents(context, calendar);
  for (const email of Object.keys(calendar.acl)) {
    const mailbox = findMailbox(context, email);
    if (mailbox !== undefined) setRole(context, calendar, mailbox, 'none');
  }
  delete context.state.calendars[calendar.id];
}

/** `POST /calendars/primary/clear`: deletes every event. @throws GoogleError 400 for a secondary calendar */
export function clearCalendar(context: GoogleContext, { calendar }: AccessedCalendar): void {
  if (calendar.kind !== 'primary') throw badRequest('Only primary calendars can be cleared.');
  clearEvents(context, calendar);
}

function clearEvents(context: GoogleContext, calendar: StoredCalendar): void {
  for (const event of Object.values(calendar.events)) {
    if (event.recurringEventId === undefined) removeFound(context, calendar, { event, slot: undefined });
  }
}
