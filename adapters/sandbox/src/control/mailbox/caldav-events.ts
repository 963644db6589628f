import ICAL from 'ical.js';
import { instantOf, offsetAt, resolveZone } from 'kalends/zones';
import { zoneText } from '../../caldav/zone-text.ts';
import { ControlError } from '../../kernel/kernel.ts';
import { readDavCalendars, readDavObjects } from './dav-answers.ts';
import type { DavCalls } from './dav-calls.ts';
import {
  type Answer,
  type EventTimes,
  type EventWrite,
  isDate,
  type MailboxEvent,
  type MailboxEvents,
} from './mailbox-events.ts';

const ANSWERS: Readonly<Record<string, Answer>> = {
  ACCEPTED: 'accepted',
  TENTATIVE: 'tentative',
  DECLINED: 'declined',
};
const MOST_SLOTS = 20_000;

/** An object with its body read. */
interface OpenObject {
  readonly name: string;
  readonly root: ICAL.Component;
}

/** An event as it stands: a component, at one of its slots. */
interface Shown {
  readonly event: ICAL.Component;
  /** Slot of an occurrence, null for the series or a single event. */
  readonly slot: ICAL.Time | null;
  readonly start: ICAL.Time;
  readonly end: ICAL.Time;
}

/** The events of one calendar of a CalDAV mailbox. The id of an occurrence is its object's with `_` and the slot behind. */
export function caldavEvents({ call, drawName, home, email }: DavCalls, calendarId: string | undefined): MailboxEvents {
  const slug = calendarId
    ?.split('/')
    .filter((part) => part !== '')
    .at(-1);
  const path = slug === undefined ? `${home}personal/` : `${home}${slug}/`;
  const pathOf = (name: string): string => `${path}${encodeURIComponent(name)}`;
  const calendars = async () =>
    readDavCalendars((await call('PROPFIND', home, { body: CALENDARS, headers: { depth: '1' } })).body);
  const open = async (name: string): Promise<OpenObject> => ({
    name,
    root: parse((await call('GET', pathOf(name))).body),
  });
  const save = async ({ name, root }: OpenObject): Promise<void> => {
    await call('PUT', pathOf(name), { body: root.toString(), headers: { 'content-type': 'text/calendar' } });
  };
  return {
    async timeZone() {
      const own = (await calendars()).find(({ id }) => id === path);
      return resolveZone(own?.timeZone ?? 'UTC') ?? 'UTC';
    },
    async calendars() {
      return (await calendars()).map(({ id, name, canEdit }) => ({
        id,
        name,
        canEdit,
        isPrimary: id === `${home}personal/`,
      }));
    },
    async list({ from, to, timeZone }) {
      const { body } = await call('REPORT', path, { body: QUERY, headers: { depth: '1' } });
      const window = { from: Date.parse(from), to: Date.parse(to) };
      const objects = readDavObjects(body).map(({ name, data }) => ({ name, root: parse(data) }));
      const shown = objects.flatMap((object) =>
        slotsIn(object, window).map((each) => viewOf(object, each, email, timeZone)),
      );
      return shown.sort((one, other) => one.start.localeCompare(other.start));
    },
    async get(eventId, timeZone) {
      const { name, slot } = partsOf(eventId);
      const object = await open(name);
      return viewOf(object, shownAt(object, slot), email, timeZone);
    },
    async create(write) {
      const uid = `${drawName()}@sandbox.invalid`;
      const object = { name: `${uid}.ics`, root: newCalendar() };
      const event = new ICAL.Component('vevent');
      event.updatePropertyWithValue('uid', uid);
      event.updatePropertyWithValue('dtstamp', ICAL.Time.now().convertToZone(ICAL.Timezone.utcTimezone));
      object.root.addSubcomponent(event);
      apply(object, event, write, email);
      await save(object);
      return object.name;
    },
    async change(eventId, write) {
      const { name, slot } = partsOf(eventId);
      const object = await open(name);
      apply(object, componentAt(object, slot), write, email);
      await save(object);
    },
    async remove(eventId) {
      const { name, slot } = partsOf(eventId);
      if (slot === null) {
        await call('DELETE', pathOf(name));
        return;
      }
      const object = await open(name);
      removeSlot(object, slot);
      await save(object);
    },
    async answer(eventId, answer) {
      const { name, slot } = partsOf(eventId);
      const object = await open(name);
      const targets = slot === null ? object.root.getAllSubcomponents('vevent') : [componentAt(object, slot)];
      const own = targets.flatMap((event) => attendeesOf(event)).filter((attendee) => addressOf(attendee) === email);
      if (own.length === 0) throw new ControlError('id: the mailbox is not invited to it');
      for (const attendee of own) attendee.setParameter('partstat', answer.toUpperCase());
      await save(object);
    },
  };
}

const CALENDARS =
  '<D:propfind xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:resourcetype/><D:displayname/>' +
  '<D:current-user-privilege-set/><C:calendar-timezone/></D:prop></D:propfind>';
const QUERY =
  '<C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><C:calendar-data/></D:prop>' +
  '<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"/></C:comp-filter></C:filter></C:calendar-query>';

const parse = (data: string): ICAL.Component => new ICAL.Component(ICAL.parse(data) as [string, unknown[], unknown[]]);

function newCalendar(): ICAL.Component {
  const root = new ICAL.Component('vcalendar');
  root.updatePropertyWithValue('version', '2.0');
  root.updatePropertyWithValue('prodid', '-//kalends//sandbox person//EN');
  return root;
}

function partsOf(eventId: string): { readonly name: string; readonly slot: string | null } {
  const [, name, slot] = /^(.*)_(\d{8}(?:T\d{6})?)$/.exec(eventId) ?? [];
  return name === undefined || slot === undefined ? { name: eventId, slot: null } : { name, slot };
}

const timeOf = (event: ICAL.Component, name: string): ICAL.Time | null => {
  const value = event.getFirstPropertyValue(name);
  return value instanceof ICAL.Time ? value : null;
};
const textOf = (event: ICAL.Component, name: string): string => String(event.getFirstPropertyValue(name) ?? '');
const attendeesOf = (event: ICAL.Component): readonly ICAL.Property[] => event.getAllProperties('attendee');
const addressOf = (property: ICAL.Property): string =>
  String(property.getFirstValue())
    .replace(/^mailto:/i, '')
    .toLowerCase();
const masterOf = ({ root }: OpenObject): ICAL.Component | undefined =>
  root.getAllSubcomponents('vevent').find((event) => !event.hasProperty('recurrence-id'));

const keyOf = (time: ICAL.Time): string => time.toString().replaceAll(/[-:Z]/g, '');

function exceptionAt({ root }: OpenObject, slot: string): ICAL.Component | undefined {
  return root.getAllSubcomponents('vevent').find((event) => {
    const time = timeOf(event, 'recurrence-id');
    return time !== null && keyOf(time) === slot;
  });
}

function endOf(event: ICAL.Component, start: ICAL.Time): ICAL.Time {
  const [from, to] = [timeOf(event, 'dtstart'), timeOf(event, 'dtend')];
  const end = start.clone();
  const duration = event.getFirstPropertyValue('duration');
  if (from !== null && to !== null) end.addDuration(to.subtractDate(from));
  else if (duration instanceof ICAL.Duration) end.addDuration(duration);
  else if (start.isDate) end.adjust(1, 0, 0, 0);
  return end;
}

/** Returns the events and occurrences of an object that meet a window. */
function slotsIn(object: OpenObject, { from, to }: { readonly from: number; readonly to: number }): readonly Shown[] {
  const shown: Shown[] = [];
  const add = (each: Shown): void => {
    if (textOf(each.event, 'status') !== 'CANCELLED' && instant(each.start) < to && instant(each.end) > from)
      shown.push(each);
  };
  for (const event of object.root.getAllSubcomponents('vevent')) {
    const start = timeOf(event, 'dtstart');
    const slot = timeOf(event, 'recurrence-id');
    const repeats = event.hasProperty('rrule') || event.hasProperty('rdate');
    if (start === null) continue;
    if (slot !== null || !repeats) add({ event, slot, start, end: endOf(event, start) });
    else
      for (const at of slotsOf(event, start, to))
        if (exceptionAt(object, keyOf(at)) === undefined) add({ event, slot: at, start: at, end: endOf(event, at) });
  }
  return shown;
}

function slotsOf(event: ICAL.Component, dtstart: ICAL.Time, to: number): readonly ICAL.Time[] {
  const expansion = new ICAL.RecurExpansion({ component: event, dtstart });
  const slots: ICAL.Time[] = [];
  for (let count = 0; count < MOST_SLOTS; count += 1) {
    const next = expansion.next();
    if (next === undefined || next === null || instant(next) >= to) break;
    slots.push(next.clone());
  }
  return slots;
}

const wallOf = (time: ICAL.Time): number =>
  Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);

function instant(time: ICAL.Time): number {
  const zone = time.zone?.tzid;
  const name = zone === undefined || zone === 'floating' || time.isDate ? undefined : resolveZone(zone);
  return name === undefined ? wallOf(time) : instantOf(name, wallOf(time));
}

function shownAt(object: OpenObject, slot: string | null): Shown {
  const event = slot === null ? masterOf(object) : (exceptionAt(object, slot) ?? masterOf(object));
  const start = event === undefined ? null : timeOf(event, 'dtstart');
  if (event === undefined || start === null) throw new ControlError('id: no such event');
  const planned = timeOf(event, 'recurrence-id');
  if (slot === null || planned !== null) return { event, slot: planned, start, end: endOf(event, start) };
  const at = slotsOf(event, start, Number.POSITIVE_INFINITY).find((each) => keyOf(each) === slot);
  if (at === undefined) throw new ControlError('id: the series has no such occurrence');
  return { event, slot: at, start: at, end: endOf(event, at) };
}

function viewOf(
  { name }: OpenObject,
  { event, slot, start, end }: Shown,
  email: string,
  timeZone: string,
): MailboxEvent {
  const text = (time: ICAL.Time): string => {
    if (time.isDate) return time.toString();
    const at = instant(time);
    return new Date(at + offsetAt(timeZone, at)).toISOString().slice(0, 19);
  };
  const organizer = event.getFirstProperty('organizer');
  const isOrganizer = organizer === null || addressOf(organizer) === email;
  const attendees = attendeesOf(event).map((each) => ({
    email: addressOf(each),
    answer: ANSWERS[String(each.getParameter('partstat') ?? '')] ?? 'needsAction',
  }));
  const own = attendees.find((each) => each.email === email);
  return {
    id: slot === null ? name : `${name}_${keyOf(slot)}`,
    seriesId: slot === null ? null : name,
    title: textOf(event, 'summary'),
    location: textOf(event, 'location'),
    isAllDay: start.isDate,
    start: text(start),
    end: text(end),
    timeZone,
    recurrence: slot === null ? event.getAllProperties('rrule').map((rule) => rule.toICALString()) : [],
    organizer: organizer === null ? null : addressOf(organizer),
    isOrganizer,
    attendees,
    myAnswer: isOrganizer || own === undefined ? null : own.answer,
  };
}

/** Returns the component of a series, or of a slot: an exception is made for a slot without one. */
function componentAt(object: OpenObject, slot: string | null): ICAL.Component {
  const { event, start } = shownAt(object, slot);
  if (slot === null || event.hasProperty('recurrence-id')) return event;
  const exception = new ICAL.Component(structuredClone(event.jCal) as [string, unknown[], unknown[]]);
  for (const name of ['rrule', 'rdate', 'exdate']) exception.removeAllProperties(name);
  const end = endOf(event, start);
  for (const [name, time] of [
    ['recurrence-id', start],
    ['dtstart', start],
    ['dtend', end],
  ] as const)
    setTime(exception, name, time);
  object.root.addSubcomponent(exception);
  return exception;
}

function removeSlot(object: OpenObject, slot: string): void {
  const { event, slot: time } = shownAt(object, slot);
  const master = masterOf(object);
  if (event.hasProperty('recurrence-id')) object.root.removeSubcomponent(event);
  if (master === undefined || time === null)
    throw new ControlError('id: an occurrence without its series cannot be removed');
  setTime(master, 'exdate', time, true);
}

function setTime(event: ICAL.Component, name: string, time: ICAL.Time, isFurther = false): void {
  if (!isFurther) event.removeAllProperties(name);
  const property = new ICAL.Property(name);
  property.setValue(time);
  const zone = time.zone?.tzid;
  if (zone !== undefined && zone !== 'floating' && zone !== 'UTC' && !time.isDate) property.setParameter('tzid', zone);
  event.addProperty(property);
}

function apply(object: OpenObject, event: ICAL.Component, write: EventWrite, email: string): void {
  const { title, location, times, attendees, recurrence } = write;
  if (title !== undefined) event.updatePropertyWithValue('summary', title);
  if (location !== undefined) event.updatePropertyWithValue('location', location);
  if (times !== undefined) applyTimes(object, event, times);
  if (attendees !== undefined) applyAttendees(event, attendees, email);
  if (recurrence === undefined) return;
  for (const name of ['rrule', 'rdate', 'exdate']) event.removeAllProperties(name);
  for (const line of recurrence) event.addProperty(ICAL.Property.fromString(line));
}

function applyTimes({ root }: OpenObject, event: ICAL.Component, { start, end, timeZone }: EventTimes): void {
  event.removeAllProperties('duration');
  const zones = root.getAllSubcomponents('vtimezone').map((zone) => textOf(zone, 'tzid'));
  if (!isDate(start) && timeZone !== 'UTC' && !zones.includes(timeZone)) {
    root.addSubcomponent(ICAL.Component.fromString(zoneText(timeZone, Number(start.slice(0, 4)))));
  }
  for (const [name, text] of [
    ['dtstart', start],
    ['dtend', end],
  ] as const) {
    event.removeAllProperties(name);
    const property = new ICAL.Property(name);
    const isUtc = timeZone === 'UTC' && !isDate(text);
    property.setValue(
      isDate(text) ? ICAL.Time.fromDateString(text) : ICAL.Time.fromDateTimeString(`${text}${isUtc ? 'Z' : ''}`),
    );
    if (!isDate(text) && !isUtc) property.setParameter('tzid', timeZone);
    event.addProperty(property);
  }
}

function applyAttendees(event: ICAL.Component, attendees: readonly string[], email: string): void {
  const known = new Map(attendeesOf(event).map((each) => [addressOf(each), each]));
  event.removeAllProperties('attendee');
  if (attendees.length > 0 && !event.hasProperty('organizer'))
    event.updatePropertyWithValue('organizer', `mailto:${email}`);
  for (const address of attendees) {
    const property = known.get(address.toLowerCase()) ?? new ICAL.Property('attendee');
    property.setValue(`mailto:${address}`);
    if (property.getParameter('partstat') === undefined) property.setParameter('partstat', 'NEEDS-ACTION');
    event.addProperty(property);
  }
}
