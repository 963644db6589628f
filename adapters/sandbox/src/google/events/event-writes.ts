import { badRequest, GoogleError, notFound } from '../api/google-error.ts';
import { mergePatch, readString, sameJson } from '../api/json.ts';
import type { Json } from '../api/wire.ts';
import { checkIfMatch } from '../calendars/calendar-access.ts';
import { conferenceSolutionsOf } from '../calendars/conference-solutions.ts';
import { type Caller, type GoogleContext, nextOrdinal } from '../google-context.ts';
import type { EventFields, StoredCalendar, StoredEvent } from '../google-state.ts';
import { spellOutOmittedAttendees, withAnswer, withKeptResources } from '../guests/attendee-answers.ts';
import { copyFields, passAnswerOn, updateGuestCopies, updateSeriesCopies } from '../guests/guest-copies.ts';
import { changeGuestCopy } from '../guests/guest-edits.ts';
import { guestsOf, mailGuests } from '../guests/mail.ts';
import { expectConference, readConference } from './conferences.ts';
import { type FieldRules, readFields } from './event-input.ts';
import { writableBody } from './event-render.ts';
import { type FoundEvent, findEvent, materialise, replaceFields, touchEvent } from './event-store.ts';
import { sameMoment } from './event-time.ts';
import { carryChangeToExceptions } from './series-changes.ts';
import { spreadVisibility, withInstanceVisibility } from './series-visibility.ts';

const CUSTOM_ID = /^[a-v0-9]{5,1024}$/;
const BASE32HEX = '0123456789abcdefghijklmnopqrstuv';
const SEQUENCE_BELOW =
  'Invalid sequence value. The specified sequence number is below the current sequence number of the resource. ' +
  'Re-fetch the resource and use its sequence number on the following request.';

/** A write to one calendar. */
export interface EventWrite {
  readonly calendar: StoredCalendar;
  readonly caller: Caller;
  readonly request: Request;
  readonly conferenceVersion: number;
  /** Guests who get mail. */
  readonly sendUpdates: string | null;
}

/** Creates an event. @throws GoogleError 400, 409 `duplicate` */
export function insertEvent(context: GoogleContext, write: EventWrite, body: Json): StoredEvent {
  const { calendar } = write;
  const id = readString(body, 'id') ?? context.kernel.randomText(26, BASE32HEX);
  if (!CUSTOM_ID.test(id)) throw badRequest('Invalid resource id value.');
  if (calendar.events[id] !== undefined) {
    throw new GoogleError(409, 'duplicate', 'The requested identifier already exists.');
  }
  const fields = readFields(body, rulesFor(calendar, false));
  const event = newEvent(context, write, {
    id,
    iCalUID: readString(body, 'iCalUID') ?? `${id}@google.com`,
    organizerEmail: calendar.id,
    fields,
  });
  const conference = readConference(body, undefined, conferenceRules(write));
  if (conference.conferenceData !== undefined) event.fields.conferenceData = conference.conferenceData;
  if (conference.isRequested) expectConference(context, event);
  // A person who creates a meeting and is on its guest list has accepted it.
  for (const guest of fields.attendees ?? []) {
    if (guest.email.toLowerCase() === calendar.id && guest.responseStatus === 'needsAction') {
      guest.responseStatus = 'accepted';
    }
  }
  calendar.events[id] = event;
  touchEvent(context, calendar, event);
  updateGuestCopies(context, calendar, event);
  mailGuests(context, write, event, [], event.fields.attendees);
  return event;
}

/**
 * `events.import`: creates a private copy of an event organized elsewhere; the same iCalUID updates the copy, or brings it back.
 * @throws GoogleError 400, for a sequence below that of the copy too
 */
export function importEvent(context: GoogleContext, write: EventWrite, body: Json): StoredEvent {
  const { calendar } = write;
  const iCalUID = readString(body, 'iCalUID');
  if (iCalUID === undefined) throw new GoogleError(400, 'required', 'Missing iCalUID.');
  const fields = readFields(body, rulesFor(calendar, false));
  if (fields.eventType !== 'default') throw badRequest('Only default events can be imported.');
  const organizer = (body['organizer'] as Json | undefined)?.['email'];
  const organizerEmail = typeof organizer === 'string' ? organizer : calendar.id;
  const existing = Object.values(calendar.events).find(
    (event) => event.iCalUID === iCalUID && event.recurringEventId === undefined,
  );
  const sequence = typeof body['sequence'] === 'number' ? body['sequence'] : 0;
  if (existing !== undefined && sequence < existing.sequence) throw badRequest(SEQUENCE_BELOW);
  const conference = readConference(body, existing?.fields.conferenceData, conferenceRules(write));
  if (conference.conferenceData !== undefined) fields.conferenceData = conference.conferenceData;
  if (existing !== undefined) {
    replaceFields(context, existing, withFixed(existing.fields, fields));
    existing.cancelled = false;
    existing.sequence = sequence;
    touchEvent(context, calendar, existing);
    return existing;
  }
  const event = newEvent(context, write, {
    id: `_${context.kernel.randomText(40, BASE32HEX)}`,
    iCalUID,
    organizerEmail,
    fields: { ...fields, privateCopy: true },
  });
  event.sequence = sequence;
  calendar.events[event.id] = event;
  touchEvent(context, calendar, event);
  return event;
}

/**
 * PATCH or PUT of an event or of one slot of a series, which gets a record of its own.
 * @throws GoogleError 400, 403 `forbiddenForNonOrganizer`, 404, 412
 */
export function changeEvent(
  context: GoogleContext,
  write: EventWrite,
  eventId: string,
  body: Json,
  method: 'patch' | 'put',
): FoundEvent {
  const { calendar } = write;
  const found = findEvent(calendar, eventId);
  if (found === undefined) throw notFound();
  checkIfMatch(write.request, found.event.revision);
  if (body['status'] === 'cancelled') {
    mailGuests(context, write, found.event, guestsOf(found.event), []);
    removeFound(context, calendar, found);
    return { event: calendar.events[eventId] ?? found.event, slot: undefined };
  }
  const before = slotFields(found);
  const [guests, { revision }] = [guestsOf(found.event), found.event];
  const rules = rulesFor(calendar, found.slot !== undefined || found.event.recurringEventId !== undefined);
  const merged =
    method === 'put' ? body : mergePatch(writableBody(before), spellOutOmittedAttendees(before, body, calendar.id));
  if (method === 'patch') refuseLeftoverTime(before, body);
  const read = readFields(merged, rules);
  const kept = withFixed(before, { ...read, attendees: withKeptResources(before.attendees, read.attendees) });
  const after = withInstanceVisibility(found, before, kept);
  if (after.eventType !== before.eventType) throw badRequest('Event type cannot be changed.');
  const conference = readConference(body, before.conferenceData, conferenceRules(write));
  if (conference.conferenceData !== undefined) after.conferenceData = conference.conferenceData;
  const isGuestCopy = found.event.organizerEmail !== calendar.id && before.guestsCanModify !== true;
  const isFreeGuestCopy = found.event.organizerEmail !== calendar.id && before.guestsCanModify === true;
  if (isFreeGuestCopy) changeThroughOrganizer(context, calendar, found, after);
  else if (isGuestCopy) changeGuestCopy(context, calendar, found, before, after);
  else changeOwnCopy(context, calendar, found, before, after, method === 'put' || body['status'] === 'confirmed');
  if (after.visibility !== before.visibility) spreadVisibility(context, calendar, found, after);
  const event = calendar.events[eventId] ?? found.event;
  if (conference.isRequested) expectConference(context, event);
  if (event.revision !== revision) mailGuests(context, write, event, guests, guestsOf(event));
  return { event, slot: undefined };
}

/** Changes the organizer's copy, if this sandbox has it, for a guest who may modify; all other copies follow. */
function changeThroughOrganizer(
  context: GoogleContext,
  calendar: StoredCalendar,
  found: FoundEvent,
  after: EventFields,
): void {
  const eventId = found.slot?.id ?? found.event.id;
  const home = context.state.calendars[found.event.organizerEmail];
  const original = home === undefined ? undefined : findEvent(home, eventId);
  if (home !== undefined && original !== undefined) {
    const before = slotFields(original);
    changeOwnCopy(context, home, original, before, copyFields(after, before), false);
  }
  const own = findEvent(calendar, eventId) ?? found;
  changeOwnCopy(context, calendar, own, slotFields(own), after, false);
}

function changeOwnCopy(
  context: GoogleContext,
  calendar: StoredCalendar,
  found: FoundEvent,
  before: EventFields,
  after: EventFields,
  restores: boolean,
): void {
  const isRestored = restores && found.event.cancelled;
  if (!isRestored && sameJson(before, after)) return;
  const event = found.slot === undefined ? found.event : materialise(context, calendar, found.event, found.slot);
  const isMoved = !sameMoment(before.start, after.start) || !sameMoment(before.end, after.end);
  const isReshaped = isMoved || !sameJson(before.recurrence, after.recurrence);
  if (isReshaped) event.sequence += 1;
  if (isRestored) event.cancelled = false;
  const { reminders: _before, ...otherBefore } = before;
  const { reminders: _after, ...otherAfter } = after;
  const keepsUpdated = !isRestored && sameJson(otherBefore, otherAfter);
  replaceFields(context, event, after);
  touchEvent(context, calendar, event, { keepsUpdated });
  if (before.recurrence !== undefined) carryChangeToExceptions(context, calendar, event, before, isReshaped);
  if (event.fields.recurrence === undefined) updateGuestCopies(context, calendar, event);
  else updateSeriesCopies(context, calendar, event);
}

/** DELETE. @throws GoogleError 404, 410 `deleted`, 412 */
export function deleteEvent(context: GoogleContext, write: EventWrite, eventId: string): void {
  const found = findEvent(write.calendar, eventId);
  if (found === undefined) throw notFound();
  if (found.event.cancelled) throw new GoogleError(410, 'deleted', 'Resource has been deleted');
  checkIfMatch(write.request, found.event.revision);
  mailGuests(context, write, found.event, guestsOf(found.event), []);
  removeFound(context, write.calendar, found);
}

/** Cancels a record or a slot, for its guests too when it is the organizer's copy. */
export function removeFound(context: GoogleContext, calendar: StoredCalendar, found: FoundEvent): void {
  if (found.event.cancelled) return;
  const event = found.slot === undefined ? found.event : materialise(context, calendar, found.event, found.slot);
  if (event.organizerEmail !== calendar.id) declineAndForget(context, calendar, event);
  event.cancelled = true;
  event.sequence += 1;
  touchEvent(context, calendar, event);
  // Exceptions are deleted with their series: only the master's tombstone is reported.
  for (const exception of Object.values(calendar.events)) {
    if (exception.recurringEventId === event.id) exception.cancelled = true;
  }
  updateSeriesCopies(context, calendar, event);
}

/** Declines a meeting that its guest deletes. */
function declineAndForget(context: GoogleContext, calendar: StoredCalendar, event: StoredEvent): void {
  const isGuest = event.fields.attendees?.some((guest) => guest.email.toLowerCase() === calendar.id) ?? false;
  if (!isGuest) return;
  event.fields.attendees = withAnswer(event.fields.attendees ?? [], calendar.id, 'declined');
  passAnswerOn(context, event, { email: calendar.id, responseStatus: 'declined', comment: undefined });
}

/**
 * `events.move`: the record leaves one calendar (a tombstone stays) and becomes the destination's.
 * @throws GoogleError 400 for instances and status events, 403 for guests, 404
 */
export function moveEvent(
  context: GoogleContext,
  write: EventWrite,
  eventId: string,
  destination: StoredCalendar,
): StoredEvent {
  const { calendar } = write;
  const found = findEvent(calendar, eventId);
  if (found === undefined || found.event.cancelled) throw notFound();
  if (found.slot !== undefined || found.event.recurringEventId !== undefined) {
    throw new GoogleError(400, 'cannotChangeOrganizerOfInstance', 'Cannot change the organizer of an instance.', {
      domain: 'calendar',
    });
  }
  if (found.event.fields.eventType !== 'default') throw badRequest('Only default events can be moved.');
  if (found.event.organizerEmail !== calendar.id) {
    throw new GoogleError(403, 'forbiddenForNonOrganizer', 'Only the organizer can move an event.', {
      domain: 'calendar',
    });
  }
  if (destination.id === calendar.id) throw badRequest('The source and destination calendars are the same.');
  const series = Object.values(calendar.events).filter((event) => event.recurringEventId === eventId);
  for (const event of [found.event, ...series]) {
    const moved: StoredEvent = {
      ...structuredClone(event),
      organizerEmail: destination.id,
      ordinal: nextOrdinal(context),
    };
    destination.events[event.id] = moved;
    touchEvent(context, destination, moved);
    event.cancelled = true;
    if (event === found.event) touchEvent(context, calendar, event);
  }
  const moved = destination.events[eventId] as StoredEvent;
  updateSeriesCopies(context, destination, moved);
  return moved;
}

function conferenceRules({ calendar, conferenceVersion }: EventWrite) {
  return { version: conferenceVersion, allowed: conferenceSolutionsOf(calendar) };
}

function rulesFor(calendar: StoredCalendar, isInstance: boolean): FieldRules {
  return { isPrimary: calendar.kind === 'primary', isInstance };
}

function newEvent(
  context: GoogleContext,
  write: EventWrite,
  parts: Pick<StoredEvent, 'id' | 'iCalUID' | 'organizerEmail' | 'fields'>,
): StoredEvent {
  const now = context.kernel.clock.now();
  return {
    ...parts,
    createdAt: now,
    updatedAt: now,
    revision: 0,
    ordinal: nextOrdinal(context),
    cancelled: false,
    sequence: 0,
    creatorEmail: write.caller.mailbox.email,
  };
}

/** Returns the fields after a write, without a change of those that are set once. */
function withFixed(before: EventFields, { privateCopy: _, ...after }: EventFields): EventFields {
  return before.privateCopy === undefined ? after : { ...after, privateCopy: before.privateCopy };
}

/** Returns a record or a slot as the fields of an event of its own. */
function slotFields(found: FoundEvent): EventFields {
  if (found.slot === undefined) return found.event.fields;
  const { recurrence: _recurrence, ...fields } = found.event.fields;
  return { ...fields, start: found.slot.start, end: found.slot.end };
}

/** Refuses a PATCH from timed to all-day that does not clear the old `dateTime` and `timeZone` by null. */
function refuseLeftoverTime(before: EventFields, patch: Json): void {
  for (const name of ['start', 'end'] as const) {
    const value = patch[name] as Json | null | undefined;
    if (value?.['date'] == null || 'date' in before[name] || before[name].timeZone === null) continue;
    if (value['timeZone'] !== null) throw badRequest(`Invalid ${name} time.`);
  }
}
