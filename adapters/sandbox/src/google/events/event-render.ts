import type { Attendee, Json, WireEvent, WirePerson } from '../api/wire.ts';
import { etagOf, isoInstant, sameAddress } from '../google-context.ts';
import type { AccessRole, EventFields, StoredCalendar, StoredEvent, StoredTime } from '../google-state.ts';
import { TYPE_PROPERTIES } from './event-input.ts';
import { writeTime } from './event-time.ts';

/** The view in which an event is rendered. */
export interface EventView {
  readonly calendar: StoredCalendar;
  readonly role: AccessRole;
  /** Zone of date-times in the answer; the calendar's when absent. */
  readonly timeZone?: string | undefined;
  readonly maxAttendees?: number | undefined;
}

/** One slot of a series, rendered as an event of its own. */
export interface ShownSlot {
  readonly id: string;
  readonly originalStart: StoredTime;
  readonly start: StoredTime;
  readonly end: StoredTime;
}

/** Renders an event as the API does, without private details that the role does not include. */
export function renderEvent(event: StoredEvent, view: EventView, slot?: ShownSlot): WireEvent {
  if (event.planted !== undefined && slot === undefined) return renderPlanted(event, event.planted);
  const zone = view.timeZone ?? view.calendar.timeZone;
  const { fields } = event;
  const recurringEventId = slot === undefined ? event.recurringEventId : event.id;
  const originalStart = slot?.originalStart ?? event.originalStart;
  const base: WireEvent = {
    kind: 'calendar#event',
    etag: etagOf(event.revision),
    id: slot?.id ?? event.id,
    status: event.cancelled ? 'cancelled' : fields.status,
    htmlLink: htmlLink(slot?.id ?? event.id, view.calendar.id),
    created: isoInstant(event.createdAt),
    updated: isoInstant(event.updatedAt),
    start: writeTime(slot?.start ?? fields.start, zone),
    end: writeTime(slot?.end ?? fields.end, zone),
    iCalUID: event.iCalUID,
    sequence: event.sequence,
    eventType: fields.eventType,
    ...(slot === undefined && fields.recurrence !== undefined ? { recurrence: fields.recurrence } : {}),
    ...(recurringEventId === undefined ? {} : { recurringEventId }),
    ...(originalStart === undefined ? {} : { originalStartTime: writeTime(originalStart, zone) }),
    ...(fields.transparency === 'transparent' ? { transparency: 'transparent' } : {}),
  };
  if (hidesDetails(event, view)) return { ...base, visibility: 'private' };
  return { ...base, ...details(event, view) };
}

function renderPlanted({ id, revision }: StoredEvent, planted: Json): WireEvent {
  return { kind: 'calendar#event', etag: etagOf(revision), status: 'confirmed', ...planted, id };
}

/** Renders a deleted event (id and status) or a cancelled slot (also its series and original start). */
export function renderTombstone(event: StoredEvent, view: EventView): WireEvent {
  if (event.planted !== undefined) return renderPlanted(event, event.planted);
  const zone = view.timeZone ?? view.calendar.timeZone;
  const { recurringEventId, originalStart } = event;
  return {
    kind: 'calendar#event',
    etag: etagOf(event.revision),
    id: event.id,
    status: 'cancelled',
    ...(recurringEventId === undefined ? {} : { recurringEventId }),
    ...(originalStart === undefined ? {} : { originalStartTime: writeTime(originalStart, zone) }),
  };
}

function hidesDetails(event: StoredEvent, view: EventView): boolean {
  if (view.role === 'freeBusyReader') return true;
  const isPrivate = event.fields.visibility === 'private' || event.fields.visibility === 'confidential';
  return isPrivate && (view.role === 'reader' || view.role === 'writerWithoutPrivateAccess');
}

function details(event: StoredEvent, view: EventView): Json {
  const { fields } = event;
  const calendarId = view.calendar.id;
  const video = fields.conferenceData?.entryPoints?.find((entry) => entry.entryPointType === 'video');
  return {
    ...plainDetails(fields),
    ...(video === undefined ? {} : { hangoutLink: video.uri }),
    ...(fields.conferenceData === undefined ? {} : { conferenceData: fields.conferenceData }),
    ...(fields.extendedProperties === undefined ? {} : { extendedProperties: fields.extendedProperties }),
    creator: person(event.creatorEmail, calendarId),
    organizer: person(event.organizerEmail, calendarId),
    reminders: fields.reminders,
    ...attendeesFor(event, view),
  };
}

function plainDetails(fields: EventFields): Json {
  const shown: Json = {};
  const keys = [
    'summary',
    'description',
    'location',
    'colorId',
    'eventLabelId',
    'visibility',
    'guestsCanModify',
    'guestsCanInviteOthers',
    'guestsCanSeeOtherGuests',
    'anyoneCanAddSelf',
    'privateCopy',
    'source',
    'attachments',
  ] as const;
  for (const key of keys) {
    if (fields[key] !== undefined && fields[key] !== '') shown[key] = fields[key];
  }
  if (shown['visibility'] === 'default') delete shown['visibility'];
  for (const name of TYPE_PROPERTIES) {
    if (fields.typeProperties?.[name] !== undefined) shown[name] = fields.typeProperties[name];
  }
  return shown;
}

function attendeesFor(event: StoredEvent, view: EventView): Json {
  const all = event.fields.attendees;
  if (all === undefined) return {};
  const shown = all.map((attendee) => shownAttendee(attendee, event, view.calendar.id));
  const limit = view.maxAttendees;
  if (limit === undefined || shown.length <= limit) return { attendees: shown };
  // The API keeps the caller's own entry when it cuts the list.
  const own = shown.filter((attendee) => attendee.self);
  const others = shown.filter((attendee) => !attendee.self);
  return { attendees: [...own, ...others].slice(0, Math.max(limit, own.length)), attendeesOmitted: true };
}

function shownAttendee(attendee: Attendee, event: StoredEvent, calendarId: string): Attendee {
  return {
    ...attendee,
    ...(sameAddress(attendee.email, event.organizerEmail) ? { organizer: true } : {}),
    ...(sameAddress(attendee.email, calendarId) ? { self: true } : {}),
  };
}

function person(email: string, calendarId: string): WirePerson {
  return sameAddress(email, calendarId) ? { email, self: true } : { email };
}

function htmlLink(eventId: string, calendarId: string): string {
  const eid = Buffer.from(`${eventId} ${calendarId}`).toString('base64url');
  return `https://www.google.com/calendar/event?eid=${eid}`;
}

/** Renders the writable fields as a body to merge a patch into. Times keep the zone they were written in. */
export function writableBody(fields: EventFields): Json {
  const { start, end, typeProperties, conferenceData: _conference, ...rest } = fields;
  return { ...rest, ...typeProperties, start: editableTime(start), end: editableTime(end) };
}

function editableTime(time: StoredTime): Json {
  if ('date' in time) return { date: time.date };
  const shown = writeTime(time, time.timeZone ?? 'UTC');
  return time.timeZone === null ? { dateTime: shown.dateTime } : { ...shown };
}
