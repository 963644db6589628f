import { badRequest, GoogleError, required } from '../api/google-error.ts';
import { isObject, readString } from '../api/json.ts';
import type { Json } from '../api/wire.ts';
import { exceptionsOf } from '../events/event-store.ts';
import { instantOfTime, isKnownZone, parseInstant, stampOf, writeInstant } from '../events/event-time.ts';
import { type Range, slotsWithin } from '../events/series.ts';
import { type Caller, findMailbox, type GoogleContext, sameAddress } from '../google-context.ts';
import type { EventFields, StoredCalendar } from '../google-state.ts';
import { findAccess } from './calendar-access.ts';

const MOST_CALENDARS = 50;
const MOST_MEMBERS = 100;
/** The service does not document its limit. */
const LONGEST_MS = 92 * 86_400_000;

interface Busy {
  readonly start: number;
  readonly end: number;
}

/** `POST /freeBusy`. A calendar that the caller cannot read is an error inside the 200. */
export function answerFreeBusy(context: GoogleContext, caller: Caller, body: Json): Json {
  const range = { from: readBound(body, 'timeMin'), to: readBound(body, 'timeMax') };
  if (range.to <= range.from) {
    throw new GoogleError(400, 'timeRangeEmpty', 'The specified time range is empty.', {
      domain: 'calendar',
      location: 'timeMax',
    });
  }
  if (range.to - range.from > LONGEST_MS) {
    throw new GoogleError(400, 'timeRangeTooLong', 'The requested time range is too long.', {
      domain: 'calendar',
      location: 'timeMax',
    });
  }
  const timeZone = readString(body, 'timeZone') ?? 'UTC';
  if (!isKnownZone(timeZone)) throw badRequest('Invalid time zone.', 'timeZone');
  const items = Array.isArray(body['items']) ? body['items'] : [];
  const ids = items.map((item: unknown) => (isObject(item) ? readString(item, 'id') : undefined) ?? '');
  const mostCalendars = readLimit(body, 'calendarExpansionMax', MOST_CALENDARS);
  const mostMembers = readLimit(body, 'groupExpansionMax', MOST_MEMBERS);
  const calendars: Record<string, Json> = {};
  const groups: Record<string, Json> = {};
  const addCalendar = (id: string): void => {
    if (id in calendars) return;
    calendars[id] =
      Object.keys(calendars).length < mostCalendars
        ? calendarAnswer(context, caller, id, range, timeZone)
        : refusal('tooManyCalendarsRequested', 'calendar');
  };
  for (const id of ids) {
    const members = context.state.groups[id.toLowerCase()];
    if (members === undefined) addCalendar(id);
    else if (members.length > mostMembers) groups[id] = { errors: [{ domain: 'calendar', reason: 'groupTooBig' }] };
    else {
      groups[id] = { calendars: [...members] };
      for (const member of members) addCalendar(member);
    }
  }
  return {
    kind: 'calendar#freeBusy',
    timeMin: writeInstant(range.from, timeZone),
    timeMax: writeInstant(range.to, timeZone),
    ...(Object.keys(groups).length === 0 ? {} : { groups }),
    calendars,
  };
}

function readLimit(body: Json, name: string, most: number): number {
  const value = body[name];
  if (value === undefined) return most;
  if (typeof value !== 'number' || value < 1 || value > most) throw badRequest(`Invalid value for: ${name}`, name);
  return value;
}

function readBound(body: Json, name: 'timeMin' | 'timeMax'): number {
  const text = readString(body, name);
  if (text === undefined) throw required(`Missing ${name} parameter.`);
  const instant = parseInstant(text);
  if (instant === undefined) throw badRequest(`Invalid value for: ${name}`, name);
  return instant;
}

function refusal(reason: string, domain = 'global'): Json {
  return { errors: [{ domain, reason }], busy: [] };
}

function calendarAnswer(context: GoogleContext, caller: Caller, id: string, range: Range, timeZone: string): Json {
  const calendar = findAccess(context, caller.mailbox, id)?.calendar ?? calendarOfColleague(context, caller, id);
  if (calendar === undefined) return refusal('notFound');
  const busy = merge(busySlots(calendar, range));
  return {
    busy: busy.map((slot) => ({
      start: writeInstant(Math.max(slot.start, range.from), timeZone),
      end: writeInstant(Math.min(slot.end, range.to), timeZone),
    })),
  };
}

/** Returns the primary calendar of a person of the same organization, who share free/busy among each other by default. */
function calendarOfColleague(context: GoogleContext, caller: Caller, id: string): StoredCalendar | undefined {
  const colleague = findMailbox(context, id);
  const isShared = colleague !== undefined && colleague.isFreeBusyHidden !== true;
  return isShared && areColleagues(caller.mailbox.email, colleague.email)
    ? context.state.calendars[colleague.email]
    : undefined;
}

/** Tells whether two addresses are of one organization: of one domain that is not Google's own mail service. */
function areColleagues(one: string, other: string): boolean {
  const domain = (address: string) => address.slice(address.lastIndexOf('@') + 1);
  return domain(one) === domain(other) && !/^(?:gmail|googlemail)\./.test(domain(one));
}

function busySlots(calendar: StoredCalendar, range: Range): Busy[] {
  const zone = calendar.timeZone;
  const slots: Busy[] = [];
  const add = (fields: EventFields): void => {
    const start = instantOfTime(fields.start, zone);
    const end = instantOfTime(fields.end, zone);
    if (end > range.from && start < range.to && end > start) slots.push({ start, end });
  };
  for (const event of Object.values(calendar.events)) {
    if (event.cancelled) continue;
    if (event.fields.recurrence === undefined) {
      if (isBusy(event.fields, calendar)) add(event.fields);
      continue;
    }
    if (!isBusy(event.fields, calendar)) continue;
    const overridden = new Set(
      exceptionsOf(calendar, event.id).map((exception) => stampOf(exception.originalStart ?? exception.fields.start)),
    );
    for (const slot of slotsWithin(event.fields, range, zone)) {
      if (!overridden.has(stampOf(slot.start))) add({ ...event.fields, start: slot.start, end: slot.end });
    }
  }
  return slots;
}

function isBusy(fields: EventFields, calendar: StoredCalendar): boolean {
  if (fields.transparency === 'transparent') return false;
  const own = fields.attendees?.find((attendee) => sameAddress(attendee.email, calendar.id));
  return own?.responseStatus !== 'declined';
}

function merge(slots: Busy[]): Busy[] {
  const merged: Busy[] = [];
  for (const slot of slots.sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last !== undefined && slot.start <= last.end) {
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, slot.end) };
    } else merged.push(slot);
  }
  return merged;
}
