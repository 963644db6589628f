import { createHash } from 'node:crypto';
import { instantOf, parseWall } from 'kalends/zones';
import type { IcsCalendar, IcsEvent } from '../kernel/kernel.ts';
import type { Attendee } from './api/wire.ts';
import { instanceId, touchEvent } from './events/event-store.ts';
import { type GoogleContext, nextOrdinal, sameAddress } from './google-context.ts';
import type { EventFields, StoredCalendar, StoredEvent, StoredTime } from './google-state.ts';
import { updateGuestCopies, updateSeriesCopies } from './guests/guest-copies.ts';

const BASE32HEX = '0123456789abcdefghijklmnopqrstuv';
const RESPONSES: Readonly<Record<string, string>> = {
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  TENTATIVE: 'tentative',
};

/**
 * Imports the events of an .ics calendar into a calendar of the server: masters and singles first, then the overrides as
 * exceptions of their series (as orphans when the file has no master). Events organized elsewhere keep their organizer.
 */
export function importEvents(
  context: GoogleContext,
  calendar: StoredCalendar,
  creatorEmail: string,
  source: IcsCalendar,
): void {
  const masters = source.events.filter((event) => event.recurrenceId === null && !event.cancelled);
  const idByUid = new Map<string, string>();
  for (const item of masters) {
    const derived = idOf(item.uid);
    const id = calendar.events[derived] === undefined ? derived : context.kernel.randomText(26, BASE32HEX);
    idByUid.set(item.uid, id);
    store(context, calendar, creatorEmail, item, { id });
  }
  for (const item of source.events) {
    if (item.recurrenceId === null) continue;
    const masterId = idByUid.get(item.uid) ?? idOf(item.uid);
    const master = calendar.events[masterId];
    const zone = master === undefined || !('at' in master.fields.start) ? item.timeZone : master.fields.start.timeZone;
    const originalStart = timeOf(item.recurrenceId, zone, calendar);
    const id = instanceId(masterId, { start: originalStart });
    store(context, calendar, creatorEmail, item, { id, recurringEventId: masterId, originalStart });
  }
  for (const id of idByUid.values()) {
    const master = calendar.events[id];
    // Only a series has exceptions to look for, and looking goes through the whole calendar.
    if (master?.fields.recurrence !== undefined) updateSeriesCopies(context, calendar, master);
    else if (master !== undefined) updateGuestCopies(context, calendar, master);
  }
}

/** Returns a stable id in Google's alphabet, so that a second import finds the same events. */
function idOf(uid: string): string {
  const digest = createHash('sha256').update(uid).digest();
  return [...digest.subarray(0, 26)].map((byte) => BASE32HEX[byte & 31]).join('');
}

function store(
  context: GoogleContext,
  calendar: StoredCalendar,
  creatorEmail: string,
  item: IcsEvent,
  place: Pick<StoredEvent, 'id' | 'recurringEventId' | 'originalStart'>,
): void {
  const now = context.kernel.clock.now();
  const isOwn = item.organizer === null || sameAddress(item.organizer.email, creatorEmail);
  const event: StoredEvent = {
    ...place,
    iCalUID: item.uid,
    createdAt: now,
    updatedAt: now,
    revision: 0,
    ordinal: nextOrdinal(context),
    cancelled: item.cancelled,
    sequence: 0,
    creatorEmail,
    organizerEmail: isOwn ? calendar.id : (item.organizer?.email ?? calendar.id),
    fields: fieldsOf(item, calendar),
  };
  calendar.events[event.id] = event;
  touchEvent(context, calendar, event);
}

function fieldsOf(item: IcsEvent, calendar: StoredCalendar): EventFields {
  const attendees = item.attendees.map(attendeeOf);
  return {
    start: timeOf(item.dtstart, item.timeZone, calendar),
    end: timeOf(item.dtend, item.timeZone, calendar),
    eventType: 'default',
    status: item.isTentative === true ? 'tentative' : 'confirmed',
    reminders: { useDefault: true },
    ...(item.summary === '' ? {} : { summary: item.summary }),
    ...(item.description === '' ? {} : { description: item.description }),
    ...(item.location === '' ? {} : { location: item.location }),
    ...(item.recurrence.length === 0 ? {} : { recurrence: [...item.recurrence] }),
    ...(item.transparent ? { transparency: 'transparent' } : {}),
    ...(item.visibility === 'default' ? {} : { visibility: item.visibility }),
    ...(attendees.length === 0 ? {} : { attendees }),
  };
}

function attendeeOf(guest: IcsEvent['attendees'][number]): Attendee {
  return {
    email: guest.email,
    ...(guest.name === '' ? {} : { displayName: guest.name }),
    responseStatus: RESPONSES[guest.partstat.toUpperCase()] ?? 'needsAction',
    ...(guest.kind === undefined ? {} : { [guest.kind]: true }),
  };
}

/** Parses a time; a floating one is in the calendar's zone. */
function timeOf(text: string, timeZone: string | null, calendar: StoredCalendar): StoredTime {
  const wall = parseWall(text);
  if (wall === undefined) throw new RangeError(`not a wall time: ${text}`);
  if (wall.dateOnly) return { date: text };
  const zone = timeZone ?? calendar.timeZone;
  return { at: instantOf(zone, wall.wallMs), timeZone: zone };
}
