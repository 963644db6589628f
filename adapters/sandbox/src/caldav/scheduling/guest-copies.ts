import ICAL from 'ical.js';
import { type CalDavContext, findMailbox, hasQuirk, ownCalendars } from '../caldav-context.ts';
import type { Mailbox, StoredCalendar, StoredObject } from '../caldav-state.ts';
import {
  attendeeOf,
  attendeesOf,
  type CalendarObject,
  copyOf,
  printObject,
  readObject,
  slotOf,
  textOf,
} from '../objects/calendar-object.ts';
import { objectOfUid, removeObject, storeObject } from '../objects/object-store.ts';

/** Finds the object of a UID in the calendars that a mailbox owns. */
export function findOwnObject(
  context: CalDavContext,
  mailbox: Mailbox,
  uid: string,
): { readonly calendar: StoredCalendar; readonly object: StoredObject } | undefined {
  for (const { calendar } of ownCalendars(context, mailbox)) {
    const object = objectOfUid(calendar, uid);
    if (object !== undefined) return { calendar, object };
  }
  return undefined;
}

interface Delivery {
  /** UID of a deleted meeting. */
  readonly uid?: string;
  /** Only an answer has changed, so the Schedule-Tag stays. */
  readonly isAnswer?: boolean;
}

/** Brings the copy of one guest up to the organizer's object; without one, or where the guest is not invited any more, it goes. */
export function deliverCopy(
  context: CalDavContext,
  email: string,
  meeting: CalendarObject | undefined,
  { uid = meeting?.uid ?? '', isAnswer = false }: Delivery,
): void {
  const mailbox = findMailbox(context, email);
  if (mailbox === undefined) return;
  const present = findOwnObject(context, mailbox, uid);
  const copy = meeting === undefined ? undefined : copyFor(meeting, email);
  if (copy === undefined) {
    if (present !== undefined) takeAway(context, present);
    return;
  }
  if (present !== undefined) keepOwnSide(readObject(present.object.data), copy);
  const calendar =
    present?.calendar ?? context.state.calendars[mailbox.links[mailbox.defaultCalendar]?.calendarId ?? ''];
  if (calendar === undefined) return;
  const name = present?.object.name ?? `${uid.replaceAll(/[^\w.@-]/g, '_')}.ics`;
  storeObject(context, calendar, { name, data: printObject(copy), keepsScheduleTag: isAnswer });
}

function takeAway(
  context: CalDavContext,
  { calendar, object }: { readonly calendar: StoredCalendar; readonly object: StoredObject },
): void {
  if (!hasQuirk(context, 'keepsCancelledCopies')) {
    removeObject(context, calendar, object.name);
    return;
  }
  const { root, events } = readObject(object.data);
  for (const event of events) event.updatePropertyWithValue('status', 'CANCELLED');
  storeObject(context, calendar, { name: object.name, data: printObject(root) });
}

/** Returns the components that a guest is invited to; the slots of the others are excluded. */
function copyFor({ root }: CalendarObject, email: string): ICAL.Component | undefined {
  const copy = copyOf(root);
  const events = copy.getAllSubcomponents('vevent');
  const master = events.find((event) => slotOf(event) === '');
  const isMasterShown = master !== undefined && attendeeOf(master, email) !== undefined;
  let shown = 0;
  for (const event of events) {
    if (attendeeOf(event, email) === undefined) {
      copy.removeSubcomponent(event);
      if (event !== master && isMasterShown) exclude(master, event);
      continue;
    }
    shown += 1;
    event.removeAllSubcomponents('valarm');
    for (const attendee of attendeesOf(event)) attendee.removeParameter('schedule-status');
  }
  return shown === 0 ? undefined : copy;
}

function exclude(master: ICAL.Component, exception: ICAL.Component): void {
  const slot = exception.getFirstProperty('recurrence-id');
  if (slot === null) return;
  const [, parameters, type, ...values] = structuredClone(slot.jCal) as [string, object, string, ...unknown[]];
  master.addProperty(new ICAL.Property(['exdate', parameters, type, ...values]));
}

/** Carries over to a new copy the parts of it that are the guest's own: alarms and transparency. */
function keepOwnSide({ events }: CalendarObject, copy: ICAL.Component): void {
  for (const event of copy.getAllSubcomponents('vevent')) {
    const former = events.find((each) => slotOf(each) === slotOf(event)) ?? events.find((each) => slotOf(each) === '');
    if (former === undefined) continue;
    for (const alarm of former.getAllSubcomponents('valarm')) event.addSubcomponent(copyOf(alarm));
    if (former.hasProperty('transp')) event.updatePropertyWithValue('transp', textOf(former, 'transp'));
  }
}
