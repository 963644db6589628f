import { GoogleError } from '../api/google-error.ts';
import { sameJson } from '../api/json.ts';
import type { Attendee } from '../api/wire.ts';
import { type FoundEvent, materialise, touchEvent } from '../events/event-store.ts';
import { type GoogleContext, sameAddress } from '../google-context.ts';
import type { EventFields, StoredCalendar } from '../google-state.ts';
import { passAnswerOn } from './guest-copies.ts';

/** Fields that only the organizer may change. */
const SHARED = [
  'summary',
  'description',
  'location',
  'start',
  'end',
  'recurrence',
  'eventType',
  'status',
  'conferenceData',
  'guestsCanModify',
  'guestsCanInviteOthers',
  'guestsCanSeeOtherGuests',
  'anyoneCanAddSelf',
  'source',
  'attachments',
] as const;

/**
 * Changes a guest's own copy: colour, reminders, transparency, visibility, private properties, the guest's answer.
 * @throws GoogleError 403 `forbiddenForNonOrganizer` for any other field
 */
export function changeGuestCopy(
  context: GoogleContext,
  calendar: StoredCalendar,
  found: FoundEvent,
  before: EventFields,
  after: EventFields,
): void {
  const sharedBefore = before.extendedProperties?.shared;
  const sharedAfter = after.extendedProperties?.shared;
  const touchesShared =
    SHARED.some((key) => !sameJson(before[key], after[key])) ||
    !sameJson(sharedBefore, sharedAfter) ||
    !sameJson(withoutGuest(before.attendees, calendar.id), withoutGuest(after.attendees, calendar.id));
  if (touchesShared) {
    throw new GoogleError(
      403,
      'forbiddenForNonOrganizer',
      'Shared properties can only be changed by the organizer of the event.',
      { domain: 'calendar' },
    );
  }
  if (sameJson(before, after)) return;
  const event = found.slot === undefined ? found.event : materialise(context, calendar, found.event, found.slot);
  event.fields = after;
  const keepsUpdated = sameJson({ ...before, reminders: null }, { ...after, reminders: null });
  touchEvent(context, calendar, event, { keepsUpdated });
  const answerBefore = guestOf(before.attendees, calendar.id);
  const answer = guestOf(after.attendees, calendar.id);
  if (answer !== undefined && !sameJson(answerBefore, answer)) {
    passAnswerOn(context, event, {
      email: answer.email,
      responseStatus: answer.responseStatus,
      comment: answer.comment ?? '',
    });
  }
}

function guestOf(attendees: readonly Attendee[] | undefined, email: string): Attendee | undefined {
  return attendees?.find((attendee) => sameAddress(attendee.email, email));
}

function withoutGuest(attendees: readonly Attendee[] | undefined, email: string): readonly Attendee[] {
  return (attendees ?? []).filter((attendee) => !sameAddress(attendee.email, email));
}
