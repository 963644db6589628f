import { KalendsError } from 'kalends';
import type { CalendarEvent, EventUpdate } from 'kalends/model';
import type { EditedEvent } from './edited-event.ts';

/** @throws KalendsError Forbidden, as the write does, for a guest's split of a series */
export function requireSplittable({ isGuest, scope }: EditedEvent): void {
  if (isGuest && scope === 'following') throw new KalendsError('Forbidden', 'Only the organizer can split a series.');
}

/** @throws KalendsError Forbidden, as the write does, for a guest's change of what is the organizer's to change */
export function requireChangeable(edited: EditedEvent, body: EventUpdate): void {
  const { event, whole, isGuest } = edited;
  if (!isGuest) return;
  const shown: Readonly<Record<string, unknown>> = { ...event };
  // A value that stays is not written.
  const isChange = ([field, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(shown[field]);
  const changes = Object.entries(body).filter(isChange);
  if (changes.length === 0) return;
  requireSplittable(edited);
  if (whole.guestsCanModify === true) return;
  if (changes.every(([field]) => field === 'attendees') && mayInvite(whole, body)) return;
  throw new KalendsError('Forbidden', 'Only the organizer may change this event.');
}

/** Only Google has the permission, by which guests add people and take none off. */
function mayInvite({ guestsCanInviteOthers, attendees }: CalendarEvent, body: EventUpdate): boolean {
  const wanted = new Set((body.attendees ?? []).map(({ email }) => email.toLowerCase()));
  return guestsCanInviteOthers === true && attendees.every(({ email }) => wanted.has(email.toLowerCase()));
}
