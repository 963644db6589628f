import { compileSeries, RecurrenceError } from 'kalends/recurrence';
import { type PatternedRecurrence, toPatternedRecurrence } from 'kalends/recurrence/patterned';
import { parseWall } from 'kalends/zones';
import type { IcsCalendar, IcsEvent } from '../kernel/kernel.ts';
import { GraphError } from './api/graph-error.ts';
import { createCalendar } from './calendars/create-calendar.ts';
import { EMPTY_FIELDS } from './events/event-fields.ts';
import { calendarIdOf } from './identity.ts';
import { normaliseRecurrence } from './series/recurrence-pattern.ts';
import { findOccurrence } from './series/series.ts';
import {
  defaultCalendarOf,
  type EventFields,
  type MicrosoftWorld,
  type ResponseStatus,
  type SeriesState,
  type StoredAttendee,
  type StoredCalendar,
  type StoredEvent,
  type StoredMailbox,
  type StoredTime,
} from './state.ts';
import { newChangeKey, recordCreated } from './sync/changes.ts';
import { DAY_MS, dayOf, formatDay } from './times.ts';

/** A series that Graph cannot hold is taken apart within this reach of the sandbox's now. */
const REACH_MS = 3 * 366 * DAY_MS;

interface Import {
  readonly world: MicrosoftWorld;
  readonly mailbox: StoredMailbox;
  readonly calendar: StoredCalendar;
  readonly timeZone: string;
}

const ANSWERS: Readonly<Record<string, ResponseStatus['response']>> = {
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  TENTATIVE: 'tentativelyAccepted',
};

const SENSITIVITIES = {
  default: 'normal',
  public: 'normal',
  private: 'private',
  confidential: 'confidential',
} as const;

/** Parses a wall time. @throws RangeError for an invalid one */
function readWall(text: string, timeZone: string): StoredTime {
  const wall = parseWall(text);
  if (!wall) throw new RangeError(`"${text}" is no local date or date-time`);
  return { wallMs: wall.wallMs, timeZone };
}

const isAllDay = (event: IcsEvent): boolean => !event.dtstart.includes('T');

function attendeesOf(event: IcsEvent): StoredAttendee[] {
  return event.attendees.map(({ email, name, partstat, kind }) => ({
    emailAddress: { address: email, name: name || email },
    type: kind ?? 'required',
    status: { response: ANSWERS[partstat.toUpperCase()] ?? 'none', at: null },
  }));
}

function isOrganizer(source: Import, event: IcsEvent): boolean {
  return event.organizer === null || event.organizer.email.toLowerCase() === source.mailbox.email.toLowerCase();
}

function ownAnswer(source: Import, event: IcsEvent): ResponseStatus {
  if (isOrganizer(source, event)) return { response: 'organizer', at: null };
  const own = attendeesOf(event).find(
    ({ emailAddress }) => emailAddress.address.toLowerCase() === source.mailbox.email.toLowerCase(),
  );
  return own && own.status.response !== 'none' ? own.status : { response: 'notResponded', at: null };
}

function showAsOf({ transparent, isTentative }: IcsEvent): EventFields['showAs'] {
  if (transparent) return 'free';
  return isTentative === true ? 'tentative' : 'busy';
}

function fieldsFrom(source: Import, event: IcsEvent): EventFields {
  const timeZone = event.timeZone ?? source.timeZone;
  return {
    ...EMPTY_FIELDS,
    subject: event.summary,
    body: { contentType: 'text', content: event.description },
    start: readWall(event.dtstart, timeZone),
    end: readWall(event.dtend, timeZone),
    isAllDay: isAllDay(event),
    locations: event.location === '' ? [] : [{ displayName: event.location }],
    attendees: attendeesOf(event),
    sensitivity: SENSITIVITIES[event.visibility],
    categories: event.categories ?? [],
    showAs: showAsOf(event),
    responseStatus: ownAnswer(source, event),
    isCancelled: event.cancelled,
  };
}

function fileEvent(source: Import, event: IcsEvent, fields: EventFields, series: SeriesState | null): StoredEvent {
  const { world, mailbox, calendar } = source;
  const now = world.kernel.clock.now();
  const stored: StoredEvent = {
    key: world.kernel.randomText(24),
    uid: event.uid,
    fields,
    organizer: event.organizer
      ? { name: event.organizer.name || event.organizer.email, address: event.organizer.email }
      : { name: mailbox.name, address: mailbox.email },
    isOrganizer: isOrganizer(source, event),
    originalStartTimeZone: fields.start.timeZone,
    originalEndTimeZone: fields.end.timeZone,
    transactionId: null,
    createdAt: now,
    modifiedAt: now,
    changeKey: newChangeKey(world),
    seq: 0,
    touchedSeq: 0,
    series,
  };
  recordCreated(world, calendar, stored);
  return stored;
}

/** Converts a series to Graph's form; undefined when it has none. */
function patternOf(event: IcsEvent, timeZone: string): PatternedRecurrence | undefined {
  try {
    const zone = isAllDay(event) ? null : timeZone;
    const found = toPatternedRecurrence({ dtstart: event.dtstart, timeZone: zone, lines: event.recurrence });
    normaliseRecurrence(found, timeZone);
    return found;
  } catch (error) {
    if (error instanceof RecurrenceError || error instanceof GraphError) return undefined;
    throw error;
  }
}

/** Returns the fields of an override that differ from its master's. */
function differences(fields: EventFields, master: EventFields): Partial<EventFields> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(master[name as keyof EventFields]),
    ),
  );
}

function importSeries(
  source: Import,
  event: IcsEvent,
  pattern: PatternedRecurrence,
  overrides: readonly IcsEvent[],
): void {
  const fields = fieldsFrom(source, event);
  const series: SeriesState = {
    recurrence: normaliseRecurrence(pattern, fields.start.timeZone),
    generation: 1,
    exceptions: {},
    cancelled: {},
    zoneLabel: null,
  };
  const stored = fileEvent(source, event, fields, series);
  const { seq, modifiedAt } = stored;
  for (const wallMs of pattern.excluded) series.cancelled[formatDay(dayOf(wallMs))] = { seq };
  for (const override of overrides) {
    const date = override.recurrenceId!.slice(0, 10);
    if (!findOccurrence(stored, date)) continue;
    if (override.cancelled) series.cancelled[date] = { seq };
    else {
      const changed = differences(fieldsFrom(source, override), fields);
      // The times of an override are its own even where they equal the master's.
      const { start, end } = fieldsFrom(source, override);
      const changeKey = newChangeKey(source.world);
      series.exceptions[date] = { fields: { ...changed, start, end }, changeKey, modifiedAt, seq };
    }
  }
}

/** Imports the occurrences near now as single events, as desktop Outlook does with rules that it cannot represent. */
function importTakenApart(source: Import, event: IcsEvent, overrides: readonly IcsEvent[]): void {
  const timeZone = event.timeZone ?? source.timeZone;
  const fields = fieldsFrom(source, event);
  const now = source.world.kernel.clock.now();
  const definition = { dtstart: event.dtstart, timeZone: fields.isAllDay ? null : timeZone, lines: event.recurrence };
  const overridden = new Map(overrides.map((override) => [override.recurrenceId!, override]));
  const window = { from: now - REACH_MS, to: now + REACH_MS, limit: 2000 };
  for (const { wallMs } of compileSeries(definition).occurrences(window)) {
    const text = new Date(wallMs).toISOString().slice(0, fields.isAllDay ? 10 : 19);
    const override = overridden.get(text);
    const moved = { wallMs, timeZone };
    const length = fields.end.wallMs - fields.start.wallMs;
    const own = { ...fields, start: moved, end: { ...moved, wallMs: wallMs + length } };
    if (override?.cancelled) continue;
    fileEvent(source, { ...event, uid: `${event.uid}-${text}` }, override ? fieldsFrom(source, override) : own, null);
  }
}

function freeName(world: MicrosoftWorld, mailbox: StoredMailbox, name: string): string {
  const taken = new Set(mailbox.calendarLinks.map(({ calendarKey }) => world.state.calendars[calendarKey]?.name));
  let free = name;
  for (let n = 2; taken.has(free); n += 1) free = `${name} (${n})`;
  return free;
}

function furtherCalendar(world: MicrosoftWorld, mailbox: StoredMailbox, ics: IcsCalendar): StoredCalendar {
  const name = freeName(world, mailbox, ics.name || 'Imported');
  return createCalendar(world, { ownerEmail: mailbox.email, name, isDefault: false, color: 'auto' });
}

/** Imports an .ics calendar as a further calendar, or its events into the default one; returns the calendar's id. */
export function importIcsCalendar(
  world: MicrosoftWorld,
  mailbox: StoredMailbox,
  ics: IcsCalendar,
  into: 'new' | 'primary',
): string {
  const calendar = into === 'primary' ? defaultCalendarOf(world.state, mailbox) : furtherCalendar(world, mailbox, ics);
  const source: Import = { world, mailbox, calendar, timeZone: ics.timeZone };
  const overridesOf = (uid: string): IcsEvent[] =>
    ics.events.filter((event) => event.uid === uid && event.recurrenceId !== null);
  const masters = new Set<string>();
  for (const event of ics.events) {
    if (event.recurrenceId !== null || event.recurrence.length === 0) continue;
    masters.add(event.uid);
    const pattern = patternOf(event, event.timeZone ?? source.timeZone);
    const own = overridesOf(event.uid);
    if (pattern) importSeries(source, event, pattern, own);
    else importTakenApart(source, event, own);
  }
  for (const event of ics.events) {
    if (!masters.has(event.uid)) fileEvent(source, event, fieldsFrom(source, event), null);
  }
  return calendarIdOf(calendar.key);
}
