import ICAL from 'ical.js';
import { type CalDavContext, findMailbox } from '../caldav-context.ts';
import type { Mailbox } from '../caldav-state.ts';
import {
  addressesOf,
  attendeeOf,
  type CalendarObject,
  copyOf,
  organizerOf,
  printObject,
  readObject,
  slotAt,
  slotOf,
  timeOf,
} from '../objects/calendar-object.ts';
import { storeObject } from '../objects/object-store.ts';
import { DavError } from '../wire/dav-error.ts';
import { answerOf } from './answers.ts';
import { deliverCopy, findOwnObject } from './guest-copies.ts';

/** Properties that are the organizer's alone (RFC 6638 §3.2.2.1). */
const OF_ORGANIZER = [
  'summary',
  'description',
  'location',
  'dtstart',
  'dtend',
  'duration',
  'rrule',
  'rdate',
  'organizer',
];

/** @throws DavError 403 where a guest changes more than an own answer, alarms and the like */
export function checkGuestWrite(guest: string, before: CalendarObject, next: CalendarObject): void {
  const master = before.events.find((event) => slotOf(event) === '');
  for (const event of next.events) {
    const former = before.events.find((each) => slotOf(each) === slotOf(event));
    const isAllowed = former !== undefined ? isAlike(former, event) : master !== undefined && isSlotOf(master, event);
    if (!isAllowed || attendeeOf(event, guest) === undefined) {
      throw new DavError(403, 'allowed-attendee-scheduling-object-change');
    }
  }
}

function isAlike(former: ICAL.Component, event: ICAL.Component): boolean {
  const shown = (component: ICAL.Component, name: string): string => {
    const values = component.getAllProperties(name).flatMap((property) => property.getValues().map(String));
    return values.sort().join('\n');
  };
  return OF_ORGANIZER.every((name) => shown(former, name) === shown(event, name));
}

/** Tells whether a new exception is its slot of the series, at the planned time. */
function isSlotOf(master: ICAL.Component, event: ICAL.Component): boolean {
  const planned = timeOf(event, 'recurrence-id');
  const start = timeOf(event, 'dtstart');
  const isPlanned = planned !== undefined && start !== undefined && planned.compare(start) === 0;
  return (
    isPlanned && String(master.getFirstPropertyValue('summary')) === String(event.getFirstPropertyValue('summary'))
  );
}

interface Meeting {
  readonly organizer: Mailbox;
  readonly place: NonNullable<ReturnType<typeof findOwnObject>>;
  readonly read: CalendarObject;
}

/** Finds the organizer's object of a guest's copy, if the organizer has a mailbox here. */
function meetingOf(context: CalDavContext, copy: CalendarObject): Meeting | undefined {
  const [event] = copy.events;
  const organizer = event === undefined ? undefined : findMailbox(context, organizerOf(event));
  const place = organizer === undefined ? undefined : findOwnObject(context, organizer, copy.uid);
  if (organizer === undefined || place === undefined) return undefined;
  return { organizer, place, read: readObject(place.object.data) };
}

/** Passes the answers of a guest's copy on to the organizer, and from there to the other guests. */
export function passAnswersOn(context: CalDavContext, guest: string, copy: CalendarObject): void {
  const meeting = meetingOf(context, copy);
  if (meeting === undefined) return;
  // The series comes first: an exception is only made for an answer that differs from the series'.
  const ordered = [...copy.events].sort((one, other) => slotOf(one).localeCompare(slotOf(other)));
  let isChanged = false;
  for (const event of ordered) {
    const attendee = attendeeOf(event, guest);
    const slot = event.getFirstProperty('recurrence-id');
    if (attendee !== undefined) isChanged = answer(meeting.read, guest, slot, answerOf(attendee)) || isChanged;
    for (const excluded of event.getAllProperties('exdate')) {
      isChanged = declineExcluded(meeting.read, guest, excluded) || isChanged;
    }
  }
  if (isChanged) storeMeeting(context, guest, meeting);
}

/** Declines a meeting as a guest who deletes the own copy. */
export function declineAll(context: CalDavContext, guest: string, copy: CalendarObject): void {
  const meeting = meetingOf(context, copy);
  if (meeting === undefined) return;
  const changes = copy.events.map((event) =>
    answer(meeting.read, guest, event.getFirstProperty('recurrence-id'), 'DECLINED'),
  );
  if (changes.includes(true)) storeMeeting(context, guest, meeting);
}

function declineExcluded(read: CalendarObject, guest: string, excluded: ICAL.Property): boolean {
  const master = masterOf(read);
  const known = new Set(master?.getAllProperties('exdate').flatMap((property) => property.getValues().map(String)));
  if (known.has(String(excluded.getFirstValue()))) return false;
  return answer(read, guest, excluded, 'DECLINED');
}

/** Sets a guest's answer in the organizer's object, for the series or one slot. Returns whether anything changed. */
function answer(read: CalendarObject, guest: string, slot: ICAL.Property | null, partstat: string): boolean {
  const event = slot === null ? masterOf(read) : exceptionOf(read, guest, slot, partstat);
  const attendee = event === undefined ? undefined : attendeeOf(event, guest);
  if (attendee === undefined || answerOf(attendee) === partstat) return false;
  attendee.setParameter('partstat', partstat);
  attendee.setParameter('schedule-status', '2.0');
  return true;
}

const masterOf = ({ root }: CalendarObject): ICAL.Component | undefined =>
  root.getAllSubcomponents('vevent').find((event) => slotOf(event) === '');

/** Returns the exception of a slot; one is made where the answer differs from the series'. */
function exceptionOf(
  read: CalendarObject,
  guest: string,
  slot: ICAL.Property,
  partstat: string,
): ICAL.Component | undefined {
  const time = slot.getFirstValue();
  if (!(time instanceof ICAL.Time)) return undefined;
  const wanted = slotAt(time);
  const known = read.root.getAllSubcomponents('vevent').find((event) => slotOf(event) === wanted);
  const master = masterOf(read);
  if (known !== undefined || master === undefined) return known;
  const attendee = attendeeOf(master, guest);
  if (attendee === undefined || answerOf(attendee) === partstat) return undefined;
  const exception = exceptionAt(master, slot, time);
  read.root.addSubcomponent(exception);
  return exception;
}

function exceptionAt(master: ICAL.Component, slot: ICAL.Property, time: ICAL.Time): ICAL.Component {
  const exception = copyOf(master);
  const start = timeOf(master, 'dtstart');
  const end = timeOf(master, 'dtend');
  for (const name of ['rrule', 'rdate', 'exdate', 'exrule', 'dtstart', 'dtend']) exception.removeAllProperties(name);
  const [, parameters, type, value] = structuredClone(slot.jCal) as [string, object, string, unknown];
  for (const name of ['recurrence-id', 'dtstart']) {
    exception.addProperty(new ICAL.Property([name, structuredClone(parameters), type, value]));
  }
  if (start !== undefined && end !== undefined) {
    const until = time.clone();
    until.addDuration(end.subtractDate(start));
    exception.addProperty(new ICAL.Property(['dtend', structuredClone(parameters), type, until.toString()]));
  }
  return exception;
}

function storeMeeting(context: CalDavContext, guest: string, { organizer, place, read }: Meeting): void {
  const data = printObject(read.root);
  storeObject(context, place.calendar, { name: place.object.name, data, keepsScheduleTag: true });
  const stored = readObject(data);
  for (const email of addressesOf(stored)) {
    if (email !== organizer.email && email !== guest) deliverCopy(context, email, stored, { isAnswer: true });
  }
}
