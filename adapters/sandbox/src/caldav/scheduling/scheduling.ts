import { type CalDavContext, findMailbox } from '../caldav-context.ts';
import type { StoredCalendar, StoredObject } from '../caldav-state.ts';
import {
  addressesOf,
  type CalendarObject,
  isScheduled,
  organizerOf,
  printObject,
  readObject,
} from '../objects/calendar-object.ts';
import { markDelivery, resetAnswers } from './answers.ts';
import { deliverCopy } from './guest-copies.ts';
import { checkGuestWrite, declineAll, passAnswersOn } from './guest-writes.ts';

/** A write whose consequences are known; `deliver` follows once it is stored. */
export interface PreparedWrite {
  /** The body to store, with the changes that the server makes to it; undefined where it makes none. */
  readonly data: string | undefined;
  deliver(): void;
}

const organizer = ({ events }: CalendarObject): string => {
  const [event] = events;
  return event === undefined ? '' : organizerOf(event);
};

/** Prepares the write of an object with attendees, of its organizer or of a guest. @throws DavError for a guest's forbidden change */
export function prepareWrite(
  context: CalDavContext,
  calendar: StoredCalendar,
  { former, next }: { readonly former: StoredObject | undefined; readonly next: CalendarObject },
): PreparedWrite | undefined {
  const before = former === undefined ? undefined : readObject(former.data);
  const isMeeting = isScheduled(next) || (before !== undefined && isScheduled(before));
  if (!isMeeting || findMailbox(context, calendar.owner) === undefined) return undefined;
  const organizers = new Set([organizer(next), before === undefined ? '' : organizer(before)]);
  if (organizers.has(calendar.owner)) return ofOrganizer(context, calendar.owner, before, next);
  if (before === undefined) return undefined;
  checkGuestWrite(calendar.owner, before, next);
  return { data: undefined, deliver: () => passAnswersOn(context, calendar.owner, next) };
}

function ofOrganizer(
  context: CalDavContext,
  owner: string,
  before: CalendarObject | undefined,
  next: CalendarObject,
): PreparedWrite {
  const isReset = before !== undefined && resetAnswers(owner, before, next);
  const isMarked = markDelivery(owner, next, (email) => findMailbox(context, email) !== undefined);
  const guests = new Set([...addressesOf(next), ...(before === undefined ? [] : addressesOf(before))]);
  guests.delete(owner);
  return {
    data: isReset || isMarked ? printObject(next.root) : undefined,
    deliver() {
      for (const email of guests) deliverCopy(context, email, next, {});
    },
  };
}

/** Follows a deletion: the organizer's takes the copies away, a guest's declines. */
export function afterDelete(
  context: CalDavContext,
  calendar: StoredCalendar,
  { former, replies }: { readonly former: StoredObject; readonly replies: boolean },
): void {
  const before = readObject(former.data);
  if (!isScheduled(before)) return;
  if (organizer(before) !== calendar.owner) {
    if (replies) declineAll(context, calendar.owner, before);
    return;
  }
  for (const email of addressesOf(before)) {
    if (email !== calendar.owner) deliverCopy(context, email, undefined, { uid: before.uid });
  }
}
