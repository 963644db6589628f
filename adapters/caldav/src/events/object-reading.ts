import {
  ICalendarError,
  type IcsEvent,
  type IcsGroup,
  isWholeText,
  readCalendarsInSteps,
  type Steps,
} from 'kalends/icalendar';
import type {
  CalendarRef,
  EventChange,
  EventContent,
  ProviderError,
  ProviderEvent,
  UnreadableObject,
} from 'kalends/ports';
import type { AccountPerson } from '../account/account-person.ts';
import { exceptionId, objectId } from './event-ids.ts';
import type { CalendarObject } from './object-calls.ts';

/** Version of the mapping; raise it with every change. */
export const MAPPING_VERSION = 9;

/** Rule of a text whose end is missing. */
export const CUT_OFF = 'the text is cut off before END:VCALENDAR';

/** The parts of a calendar that the reading of its objects depends on. */
type CalendarOfObject = Pick<CalendarRef, 'timeZone' | 'isShared' | 'inviteEmail'>;

/** Returns the address of the person whose calendar is shared to the account; undefined for the account's own. */
export function ownerOf({ isShared, inviteEmail }: Pick<CalendarRef, 'isShared' | 'inviteEmail'>): string | undefined {
  return isShared ? inviteEmail : undefined;
}

/**
 * Maps an object in steps: an event, a series with its exceptions, or what cannot be read. Empty for one without events. The account's answer and
 * role are found by all of the person's addresses.
 */
export function* readObjectChanges(
  object: CalendarObject,
  person: AccountPerson,
  calendar: CalendarOfObject,
): Steps<readonly EventChange[]> {
  const providerEventId = objectId(object.path);
  const unreadable = (reason: string) => [{ kind: 'unreadable', providerEventId, seriesId: null, reason }] as const;
  if (!isWholeText(object.text)) return unreadable(`END: ${CUT_OFF}`);
  try {
    const self = [person.email, ...person.self];
    const options = { calendarZone: calendar.timeZone, self, owner: ownerOf(calendar) };
    const calendars = yield* readCalendarsInSteps(object.text, options);
    const [group, ...others] = calendars.flatMap(({ groups }) => groups);
    if (group === undefined) return [];
    // An event without an organizer is its owner's, whose address the server does not tell.
    const changes = readGroup(group, providerEventId, object.tag, calendar.isShared ? '' : person.email);
    return others.length === 0 ? changes : withOthers(changes, others);
  } catch (error) {
    if (!(error instanceof ICalendarError)) throw error;
    return unreadable(error.message);
  }
}

/**
 * Maps an object as it was read; one that is gone, or has no events left, as deleted under this id. The object is whole: mirrored events
 * of an earlier form of it, such as the series of single occurrences, are gone.
 */
export function* changesOf(
  providerEventId: string,
  object: CalendarObject | undefined,
  person: AccountPerson,
  calendar: CalendarOfObject,
): Steps<readonly EventChange[]> {
  const changes = object === undefined ? [] : yield* readObjectChanges(object, person, calendar);
  const [first] = changes;
  if (first === undefined) return [{ kind: 'deleted', providerEventId }];
  if (first.kind !== 'event') return changes;
  if (first.event.seriesId === null) return [{ kind: 'series', master: first.event, exceptions: [] }];
  // The mirror keeps the last good version of an occurrence that cannot be read, with all the others.
  const isReadable = changes.every(({ kind }) => kind === 'event');
  return isReadable ? [{ kind: 'deleted', providerEventId }, ...changes] : changes;
}

/** Maps an object that the server refuses to hand out. */
export function refusedObject(providerEventId: string, { message }: ProviderError): UnreadableObject {
  return { kind: 'unreadable', providerEventId, seriesId: null, reason: message };
}

function readGroup(group: IcsGroup, id: string, tag: string | null, email: string): readonly EventChange[] {
  const { master, exceptions } = group;
  const broken = group.unreadable.find(({ isMaster }) => isMaster);
  if (broken !== undefined) {
    return [{ kind: 'unreadable', providerEventId: id, seriesId: null, reason: broken.reason }];
  }
  const instances = exceptions.flatMap((exception) => readException(exception, id, tag, email));
  const unreadable = group.unreadable.map(
    ({ reason, recurrenceId }): UnreadableObject => ({
      kind: 'unreadable',
      providerEventId: recurrenceId === null ? '' : exceptionId(id, recurrenceId),
      seriesId: id,
      reason,
    }),
  );
  // An invitation to single occurrences has no series.
  if (master === undefined) return [...instances.map((event) => ({ kind: 'event', event }) as const), ...unreadable];
  const event = eventOf(master, { providerEventId: id, seriesId: null, recurrenceId: null }, tag, email);
  if (master.content?.recurrence == null && instances.length === 0) return [{ kind: 'event', event }];
  return [{ kind: 'series', master: event, exceptions: instances, ...(unreadable.length === 0 ? {} : { unreadable }) }];
}

/** Notes with the event of an object that there are more: RFC 4791 §4.1 allows one UID, which not all servers enforce. */
function withOthers([first, ...more]: readonly EventChange[], others: readonly IcsGroup[]): readonly EventChange[] {
  const uids = others.map(({ uid }) => JSON.stringify(uid)).join(', ');
  const noted = <Event extends ProviderEvent>(event: Event): Event => ({
    ...event,
    unreadableParts: [...(event.unreadableParts ?? []), `UID: an object has one event; not shown: ${uids}`],
  });
  if (first?.kind === 'event') return [{ ...first, event: noted(first.event) }, ...more];
  if (first?.kind === 'series') return [{ ...first, master: noted(first.master) }, ...more];
  return first === undefined ? [] : [first, ...more];
}

function readException(
  exception: IcsEvent,
  seriesId: string,
  tag: string | null,
  email: string,
): readonly ProviderEvent[] {
  const { recurrenceId } = exception;
  if (recurrenceId === null) return [];
  return [
    eventOf(exception, { providerEventId: exceptionId(seriesId, recurrenceId), seriesId, recurrenceId }, tag, email),
  ];
}

function eventOf(
  { isCancelled, content, isOrganizer, unreadableParts }: IcsEvent,
  place: Pick<ProviderEvent, 'providerEventId' | 'seriesId' | 'recurrenceId'>,
  providerTag: string | null,
  email: string,
): ProviderEvent {
  return {
    ...place,
    providerTag,
    isCancelled,
    content: content === null ? null : shown(content, email),
    isOrganizer,
    ...(unreadableParts.length === 0 ? {} : { unreadableParts }),
  };
}

/** Order of the parts of a rule and of its weekdays, which has no meaning: servers print them in orders of their own (Cyrus). */
const PARTS =
  'FREQ INTERVAL WKST BYMONTH BYWEEKNO BYYEARDAY BYMONTHDAY BYDAY BYHOUR BYMINUTE BYSECOND BYSETPOS COUNT UNTIL';
const PLACES: ReadonlyMap<string, number> = new Map(PARTS.split(' ').map((part, place) => [part, place]));

const WEEK = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

function daysInOrder(part: string): string {
  if (!part.startsWith('BYDAY=')) return part;
  const days = part.slice('BYDAY='.length).split(',');
  return `BYDAY=${days.toSorted((one, other) => WEEK.indexOf(one.slice(-2)) - WEEK.indexOf(other.slice(-2))).join(',')}`;
}

function inOrder(line: string): string {
  if (!line.startsWith('RRULE:')) return line;
  const placeOf = (part: string): number => PLACES.get(part.split('=', 1)[0] ?? '') ?? PLACES.size;
  const parts = line.slice('RRULE:'.length).split(';').map(daysInOrder);
  return `RRULE:${parts.toSorted((one, other) => placeOf(one) - placeOf(other)).join(';')}`;
}

/** Shows an event without an organizer as the account's own, which has accepted it; and rules in one order. */
function shown(content: EventContent, email: string): EventContent {
  const recurrence = content.recurrence?.map(inOrder) ?? null;
  if (content.organizer !== undefined || email === '') return { ...content, recurrence };
  return {
    ...content,
    recurrence,
    organizer: { email, isSelf: true },
    myResponseStatus: content.myResponseStatus ?? 'accepted',
  };
}
