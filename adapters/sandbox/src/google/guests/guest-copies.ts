import { sameJson } from '../api/json.ts';
import { exceptionsOf, findEvent, materialise, replaceFields, touchEvent } from '../events/event-store.ts';
import { stampOf } from '../events/event-time.ts';
import { findSlot } from '../events/series.ts';
import { type GoogleContext, nextOrdinal, sameAddress } from '../google-context.ts';
import type { EventFields, StoredCalendar, StoredEvent } from '../google-state.ts';

/** Fields of a copy that belong to the person with the calendar, not to the meeting. */
const PERSONAL = ['reminders', 'colorId', 'eventLabelId', 'transparency', 'visibility'] as const;

/**
 * Brings the copies in the guests' primary calendars up to date with the organizer's copy: new guests get one, guests
 * removed from the list lose theirs, the other copies get the shared fields. Guests outside this sandbox are skipped, and
 * nothing happens for a copy that is not the organizer's, or is private.
 */
export function updateGuestCopies(context: GoogleContext, calendar: StoredCalendar, event: StoredEvent): void {
  if (event.organizerEmail !== calendar.id || event.fields.privateCopy === true) return;
  for (const mailbox of Object.values(context.state.mailboxes)) {
    const target = context.state.calendars[mailbox.email];
    if (target === undefined || target.id === calendar.id) continue;
    const isInvited = event.fields.attendees?.some((guest) => sameAddress(guest.email, mailbox.email)) ?? false;
    if (isInvited && !event.cancelled) giveCopy(context, target, event);
    else withdrawCopy(context, target, event);
  }
}

/** Updates the guests' copies of a series with all its exceptions, after a change of the guest list or the rule. */
export function updateSeriesCopies(context: GoogleContext, calendar: StoredCalendar, master: StoredEvent): void {
  updateGuestCopies(context, calendar, master);
  for (const exception of exceptionsOf(calendar, master.id)) updateGuestCopies(context, calendar, exception);
}

function giveCopy(context: GoogleContext, target: StoredCalendar, event: StoredEvent): void {
  const existing = target.events[event.id];
  const fields = copyFields(event.fields, existing?.fields);
  if (existing === undefined) {
    const copy: StoredEvent = { ...event, ordinal: nextOrdinal(context), fields };
    delete copy.formerShapes;
    delete copy.conferencePending;
    delete copy.firstRevision;
    target.events[event.id] = copy;
    touchEvent(context, target, copy);
    return;
  }
  const isDeclinedAndRemoved = existing.cancelled && declined(event, target.id);
  if (isDeclinedAndRemoved) return;
  if (!existing.cancelled && sameJson(existing.fields, fields) && existing.sequence === event.sequence) return;
  const wasCancelled = existing.cancelled;
  replaceFields(context, existing, fields);
  existing.cancelled = false;
  existing.sequence = event.sequence;
  existing.organizerEmail = event.organizerEmail;
  touchEvent(context, target, existing);
  if (wasCancelled) reviveExceptions(context, target, existing);
}

/**
 * Brings a series back to a guest who had lost it: occurrences to which the guest stayed invited are listed behind it, and of those that
 * the guest alone had changed nothing is left.
 */
function reviveExceptions(context: GoogleContext, target: StoredCalendar, master: StoredEvent): void {
  for (const exception of exceptionsOf(target, master.id)) {
    if (!exception.cancelled) touchEvent(context, target, exception);
    else if (isOwn(context, exception) && isSlotOf(master, exception)) delete target.events[exception.id];
  }
}

/** Cancels the occurrences of a withdrawn series that the guest alone changed, as by a colour. */
function cancelOwnExceptions(context: GoogleContext, target: StoredCalendar, master: StoredEvent): void {
  for (const exception of exceptionsOf(target, master.id)) {
    if (exception.cancelled || !isOwn(context, exception)) continue;
    exception.cancelled = true;
    touchEvent(context, target, exception);
  }
}

/** Tells whether the organizer has no record of an occurrence. */
function isOwn(context: GoogleContext, { id, organizerEmail }: StoredEvent): boolean {
  return context.state.calendars[organizerEmail]?.events[id] === undefined;
}

function isSlotOf(master: StoredEvent, { originalStart }: StoredEvent): boolean {
  return originalStart !== undefined && findSlot(master.fields, stampOf(originalStart)) !== undefined;
}

function withdrawCopy(context: GoogleContext, target: StoredCalendar, event: StoredEvent): void {
  const existing = target.events[event.id] ?? slotOfGuestSeries(context, target, event);
  if (existing === undefined || existing.cancelled || existing.organizerEmail !== event.organizerEmail) return;
  existing.cancelled = true;
  existing.sequence = event.sequence;
  touchEvent(context, target, existing);
  cancelOwnExceptions(context, target, event);
}

/** Gives a guest of the series who is not invited to one slot a cancelled stub of it. */
function slotOfGuestSeries(
  context: GoogleContext,
  target: StoredCalendar,
  event: StoredEvent,
): StoredEvent | undefined {
  if (event.recurringEventId === undefined) return undefined;
  const found = findEvent(target, event.id);
  if (found?.slot === undefined || found.event.cancelled) return undefined;
  return materialise(context, target, found.event, found.slot);
}

function declined(event: StoredEvent, email: string): boolean {
  const guest = event.fields.attendees?.find((attendee) => sameAddress(attendee.email, email));
  return guest?.responseStatus === 'declined';
}

/** Returns the shared fields of one copy with the personal fields of another. */
export function copyFields(shared: EventFields, own: EventFields | undefined): EventFields {
  const fields = structuredClone(shared);
  delete fields.colorId;
  delete fields.eventLabelId;
  delete fields.transparency;
  delete fields.visibility;
  delete fields.extendedProperties;
  fields.reminders = { useDefault: true };
  for (const key of PERSONAL) {
    if (own?.[key] !== undefined) Object.assign(fields, { [key]: own[key] });
  }
  const properties = {
    ...(own?.extendedProperties?.private === undefined ? {} : { private: own.extendedProperties.private }),
    ...(shared.extendedProperties?.shared === undefined ? {} : { shared: shared.extendedProperties.shared }),
  };
  if (Object.keys(properties).length > 0) fields.extendedProperties = properties;
  return fields;
}

/**
 * Records a guest's answer in the organizer's copy, if this sandbox has it, and from there in all others.
 * A comment that is undefined stays, an empty one goes. `eventId` may name a slot that has no record of its own yet.
 */
export function passAnswerOn(
  context: GoogleContext,
  guestCopy: StoredEvent,
  answer: { readonly email: string; readonly responseStatus: string; readonly comment: string | undefined },
): void {
  const home = context.state.calendars[guestCopy.organizerEmail];
  if (home === undefined) return;
  const found = findEvent(home, guestCopy.id);
  if (found === undefined || found.event.cancelled) return;
  const event = found.slot === undefined ? found.event : materialise(context, home, found.event, found.slot);
  const guest = event.fields.attendees?.find((attendee) => sameAddress(attendee.email, answer.email));
  if (guest === undefined) return;
  guest.responseStatus = answer.responseStatus;
  if (answer.comment === '') delete guest.comment;
  else if (answer.comment !== undefined) guest.comment = answer.comment;
  touchEvent(context, home, event);
  updateGuestCopies(context, home, event);
}
