import type ICAL from 'ical.js';
import { attendeesOf, type CalendarObject, emailOf, slotOf, timeOf } from '../objects/calendar-object.ts';

/** A change of one of these asks everybody again (RFC 6638 §3.2.8). */
const TIMES = ['dtstart', 'dtend', 'duration', 'rrule', 'rdate', 'exdate'];

/** Returns the PARTSTAT of an attendee. */
export function answerOf(attendee: ICAL.Property): string {
  return String(attendee.getParameter('partstat') ?? 'NEEDS-ACTION').toUpperCase();
}

/** Resets the guests' answers of each component whose times changed. Returns whether one was reset. */
export function resetAnswers(owner: string, before: CalendarObject, next: CalendarObject): boolean {
  let isReset = false;
  for (const event of next.events) {
    if (!hasMoved(before, next, event)) continue;
    for (const attendee of attendeesOf(event)) {
      if (emailOf(attendee) === owner || answerOf(attendee) === 'NEEDS-ACTION') continue;
      attendee.setParameter('partstat', 'NEEDS-ACTION');
      isReset = true;
    }
  }
  return isReset;
}

function hasMoved(before: CalendarObject, next: CalendarObject, event: ICAL.Component): boolean {
  const slot = slotOf(event);
  const former = before.events.find((each) => slotOf(each) === slot);
  if (former !== undefined) return timesOf(former) !== timesOf(event);
  const start = timeOf(event, 'dtstart');
  const planned = timeOf(event, 'recurrence-id');
  const master = next.events.find((each) => slotOf(each) === '');
  if (start === undefined || planned === undefined || master === undefined) return true;
  return start.compare(planned) !== 0 || lengthOf(event) !== lengthOf(master);
}

function timesOf(event: ICAL.Component): string {
  const lines = TIMES.flatMap((name) => event.getAllProperties(name).map((property) => property.toICALString()));
  return lines.sort().join('\n');
}

function lengthOf(event: ICAL.Component): number {
  const start = timeOf(event, 'dtstart');
  const end = timeOf(event, 'dtend');
  if (start === undefined || end === undefined) return 0;
  return end.subtractDate(start).toSeconds();
}

/** Writes down for each guest of the organizer's copy whether the invitation could be delivered (RFC 6638 §3.2.9). */
export function markDelivery(owner: string, next: CalendarObject, isKnown: (email: string) => boolean): boolean {
  let isMarked = false;
  for (const attendee of next.events.flatMap(attendeesOf)) {
    const email = emailOf(attendee);
    const agent = String(attendee.getParameter('schedule-agent') ?? 'SERVER').toUpperCase();
    if (email === owner || agent !== 'SERVER') continue;
    const status = isKnown(email) ? '1.2' : '1.1';
    if (attendee.getParameter('schedule-status') === status) continue;
    attendee.setParameter('schedule-status', status);
    isMarked = true;
  }
  return isMarked;
}
