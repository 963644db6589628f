import ICAL from 'ical.js';
import { instantOf, resolveZone, wallOfText } from 'kalends/zones';
import { MAX_OBJECT_BYTES } from '../properties.ts';
import { DavError } from '../wire/dav-error.ts';

/** A body that has been read. */
export interface CalendarObject {
  readonly uid: string;
  /** The VCALENDAR. */
  readonly root: ICAL.Component;
  /** Its events: the series or single event, and its exceptions. */
  readonly events: readonly ICAL.Component[];
}

/** Reads a body and checks the rules of RFC 4791 §4.1. @throws DavError with the precondition that it does not meet */
export function readObject(data: string): CalendarObject {
  if (Buffer.byteLength(data) > MAX_OBJECT_BYTES) throw new DavError(403, 'max-resource-size');
  try {
    return readChecked(data);
  } catch (error) {
    if (error instanceof DavError) throw error;
    // ical.js reads some values, such as the offsets of a zone, when they are first needed.
    throw new DavError(403, 'valid-calendar-data');
  }
}

function readChecked(data: string): CalendarObject {
  const jCal: unknown = ICAL.parse(data);
  const root = new ICAL.Component(jCal as [string, unknown[], unknown[]]);
  if (root.name !== 'vcalendar') throw new DavError(403, 'valid-calendar-data');
  for (const name of ['version', 'prodid']) need(root.hasProperty(name), 'valid-calendar-data');
  need(!root.hasProperty('method'), 'valid-calendar-object-resource');
  const components = root.getAllSubcomponents().filter(({ name }) => name !== 'vtimezone');
  need(components.length > 0, 'valid-calendar-object-resource');
  need(
    components.every(({ name }) => name === 'vevent'),
    'supported-calendar-component',
  );
  const uids = new Set(components.map((event) => textOf(event, 'uid')));
  const [uid = ''] = uids;
  need(uids.size === 1 && uid !== '', 'valid-calendar-object-resource');
  const slots = new Set(components.map((event) => slotOf(event)));
  need(slots.size === components.length, 'valid-calendar-object-resource');
  for (const event of components) checkEvent(event);
  const organizers = new Set(components.map(organizerOf));
  need(organizers.size === 1, 'same-organizer-in-all-components');
  return { uid, root, events: components };
}

function need(isMet: boolean, condition: string): void {
  if (!isMet) throw new DavError(403, condition);
}

function checkEvent(event: ICAL.Component): void {
  const start = timeOf(event, 'dtstart');
  const end = timeOf(event, 'dtend');
  need(event.hasProperty('dtstamp') && start !== undefined, 'valid-calendar-data');
  need(!(event.hasProperty('dtend') && event.hasProperty('duration')), 'valid-calendar-data');
  need(end === undefined || (start !== undefined && start.isDate === end.isDate), 'valid-calendar-data');
  need(end === undefined || start === undefined || start.compare(end) <= 0, 'valid-calendar-data');
  for (const name of ['rrule', 'summary', 'uid', 'dtstart', 'dtend', 'recurrence-id']) {
    need(event.getAllProperties(name).length <= 1, 'valid-calendar-data');
  }
  if (event.hasProperty('rrule'))
    need(event.getFirstPropertyValue('rrule') instanceof ICAL.Recur, 'valid-calendar-data');
}

export function textOf(component: ICAL.Component, name: string): string {
  const value = component.getFirstPropertyValue(name);
  return value === null ? '' : String(value);
}

export function timeOf(component: ICAL.Component, name: string): ICAL.Time | undefined {
  const value = component.getFirstPropertyValue(name);
  return value instanceof ICAL.Time ? value : undefined;
}

/** Returns the slot of an exception, alike however its zone is written; an empty text for the series itself. */
export function slotOf(event: ICAL.Component): string {
  const time = timeOf(event, 'recurrence-id');
  return time === undefined ? '' : slotAt(time);
}

/** Returns the slot that a time names. Of two equal local times the first is meant (RFC 5545 §3.3.5): ical.js takes the second. */
export function slotAt(time: ICAL.Time): string {
  if (time.isDate) return time.toString();
  const zone = resolveZone(time.zone?.tzid ?? '');
  if (zone === undefined) return String(time.toUnixTime());
  return String(instantOf(zone, wallOfText(time.toString().replace('Z', ''))) / 1000);
}

export const emailOf = (property: ICAL.Property): string =>
  String(property.getFirstValue())
    .replace(/^mailto:/i, '')
    .trim()
    .toLowerCase();

export function organizerOf(event: ICAL.Component): string {
  const property = event.getFirstProperty('organizer');
  return property === null ? '' : emailOf(property);
}

export const attendeesOf = (event: ICAL.Component): readonly ICAL.Property[] => event.getAllProperties('attendee');

export const attendeeOf = (event: ICAL.Component, email: string): ICAL.Property | undefined =>
  attendeesOf(event).find((property) => emailOf(property) === email);

/** Tells whether an object has an organizer and attendees, which makes it a scheduling object (RFC 6638 §3.1). */
export const isScheduled = ({ events }: CalendarObject): boolean =>
  events.some((event) => organizerOf(event) !== '' && attendeesOf(event).length > 0);

export const addressesOf = ({ events }: CalendarObject): ReadonlySet<string> =>
  new Set(events.flatMap((event) => attendeesOf(event).map(emailOf)));

/** Prints an object with CRLF and folded lines. */
export const printObject = (root: ICAL.Component): string =>
  `${root.toString().replaceAll(/\r?\n/g, '\r\n').trimEnd()}\r\n`;

export const copyOf = (component: ICAL.Component): ICAL.Component =>
  new ICAL.Component(structuredClone(component.jCal) as [string, unknown[], unknown[]]);
