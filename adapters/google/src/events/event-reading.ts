import type { CalendarEvent } from 'kalends/model';
import {
  type EventChange,
  type EventContent,
  EXPRESSIBLE,
  mirroredDescription,
  type ProviderEvent,
  readObject,
  type UnreadableObject,
  unreadableField,
} from 'kalends/ports';
import { writtenLines } from 'kalends/recurrence';
import { readAttendees, readOwnResponse } from './attendees.ts';
import { readConference } from './conference.ts';
import { type ContentTimes, lacksZone, readSlot, readStamp, readTimes } from './event-time.ts';
import type { ListedEvent, WireEvent, WireTime } from './event-wire.ts';
import { readExtendedProperties } from './extended-properties.ts';
import { readExtensions } from './extensions.ts';
import { readOverrides } from './own-marks.ts';
import { type ReadRecurrence, readRecurrence } from './recurrence-reading.ts';
import { readReminders } from './reminders.ts';
import { readUncopyable } from './uncopyable.ts';
import { readUntold } from './untold.ts';

/** Version of the mapping below; raise it with every change. */
export const MAPPING_VERSION = 10;

/** Stands for the time of an event of which no time is known. */
const EPOCH = new Date(0).toISOString();

/** Context in which an object of Google's is mapped. */
export interface ReadContext {
  /** Zone of times that name none. */
  readonly calendarZone: string;
}

/** Maps an item of a list: a cancelled event is deleted, a cancelled instance is a cancelled slot of its series. */
export function readChange(item: ListedEvent, context: ReadContext): EventChange {
  if (!('kind' in item) && isGone(item)) return { kind: 'deleted', providerEventId: item.id };
  const event = readListed(item, context);
  return 'kind' in event ? event : { kind: 'event', event };
}

/** Maps an item of a list. One that cannot be read costs no other. */
export function readListed(item: ListedEvent, context: ReadContext): ProviderEvent | UnreadableObject {
  if ('kind' in item) return item;
  return readObject({ providerEventId: item.id, seriesId: seriesOf(item) }, () => readEvent(item, context));
}

/** Returns true for a tombstone of a single event or a whole series. */
export function isGone(wire: WireEvent): boolean {
  return wire.status === 'cancelled' && seriesOf(wire) === null;
}

/**
 * Returns the series of an instance, null for any other object. A cancelled instance may have no more than its id, which
 * begins with that of the series.
 */
export function seriesOf(wire: WireEvent): string | null {
  return wire.recurringEventId ?? (isSeries(wire) ? null : (readStamp(wire.id)?.seriesId ?? null));
}

/** Returns true for a series master. */
export function isSeries(wire: WireEvent): boolean {
  return writtenLines(wire.recurrence ?? []).length > 0;
}

/**
 * Maps an event, a series master or an instance. A cancelled instance has no content: Google sends sometimes a stub and
 * sometimes all of it, and the same object must always map alike.
 * @throws ProviderError unreadable
 */
export function readEvent(wire: WireEvent, context: ReadContext): ProviderEvent {
  const isCancelled = wire.status === 'cancelled';
  const seriesId = seriesOf(wire);
  const overrides =
    isCancelled || seriesId === null ? undefined : readOverrides(wire.extendedProperties?.private ?? {});
  return {
    providerEventId: wire.id,
    providerTag: wire.etag ?? null,
    seriesId,
    recurrenceId: seriesId === null ? null : readSlot(wire, context.calendarZone),
    isCancelled,
    ...(isCancelled ? { content: null } : readContent(wire, context)),
    ...(overrides === undefined ? {} : { overrides }),
    isOrganizer: !isCancelled && wire.organizer?.self === true && wire.locked !== true,
  };
}

function readContent(
  wire: WireEvent,
  context: ReadContext,
): Pick<ProviderEvent, 'content' | 'unreadableParts' | 'uncopyable' | 'untold'> {
  if (wire.start == null) throw unreadableField('start', 'is required of an event');
  const times = readTimes(wire.start, wire.end, context.calendarZone);
  const createdAt = timestamp(wire.created);
  const updatedAt = timestamp(wire.updated) ?? createdAt ?? EPOCH;
  const myResponseStatus = readOwnResponse(wire);
  const transparency = readChoice(wire.transparency, ['opaque', 'transparent'], 'opaque');
  // Birthdays, working locations and events from Gmail are plain events; providerEventType names them.
  const eventType = readChoice(wire.eventType, ['default', 'outOfOffice', 'focusTime'], 'default');
  const recurrence = isSeries(wire) ? readLines(wire.recurrence ?? [], wire.start, times) : undefined;
  const content: EventContent = {
    title: wire.summary ?? '',
    description: mirroredDescription(wire.description ?? ''),
    createdAt: createdAt ?? updatedAt,
    updatedAt,
    ...times,
    ...readExtendedProperties(wire.extendedProperties),
    recurrence: recurrence === undefined ? null : [...recurrence.lines],
    ...(wire.colorId == null ? {} : { colorId: wire.colorId }),
    ...(myResponseStatus === undefined ? {} : { myResponseStatus }),
    attendees: readAttendees(wire.attendees),
    visibility: readChoice(wire.visibility, ['default', 'public', 'private', 'confidential'], 'default'),
    location: wire.location ?? '',
    ...readConference(wire),
    webLink: wire.htmlLink ?? '',
    iCalUid: wire.iCalUID ?? '',
    transparency,
    eventType,
    ...readExtensions(wire, { transparency, eventType }),
    ...readPeople(wire),
    reminders: readReminders(wire.reminders),
  };
  const unreadable = recurrence?.unreadable.map(({ part }) => `recurrence: ${part} cannot be read`) ?? [];
  const uncopyable = readUncopyable(wire);
  const untold = readUntold(wire);
  return {
    content,
    ...(unreadable.length === 0 ? {} : { unreadableParts: unreadable }),
    ...(uncopyable.length === 0 ? {} : { uncopyable }),
    ...(Object.keys(untold).length === 0 ? {} : { untold }),
  };
}

function readLines(lines: readonly string[], written: WireTime, { start, isAllDay }: ContentTimes): ReadRecurrence {
  const dtstart = start.dateTime.slice(0, isAllDay ? 10 : 19);
  const series = { dtstart, timeZone: isAllDay ? null : start.timeZone };
  if (isAllDay || !lacksZone(written)) return readRecurrence(lines, series);
  const [line = ''] = lines;
  const reason = 'is an offset that no time zone has all year';
  return { ...readRecurrence([], series), unreadable: [{ line, part: 'start.timeZone', reason }] };
}

function readPeople(wire: WireEvent): Pick<CalendarEvent, 'organizer' | 'creator'> {
  const { organizer, creator } = wire;
  return {
    ...(organizer == null
      ? {}
      : {
          organizer: {
            ...(organizer.displayName == null ? {} : { name: organizer.displayName }),
            ...(organizer.email == null ? {} : { email: organizer.email }),
            isSelf: organizer.self === true,
          },
        }),
    ...(creator == null ? {} : { creator: creator.email == null ? {} : { email: creator.email } }),
  };
}

function readChoice<Choice extends string>(
  value: string | null | undefined,
  choices: readonly Choice[],
  otherwise: Choice,
): Choice {
  return choices.find((choice) => choice === value) ?? otherwise;
}

/** Reads a time. Imported events have odd ones, as of the year 0: like a missing one, it is unknown outside the years 1 to 9999. */
function timestamp(text: string | null | undefined): string | undefined {
  const at = text == null ? Number.NaN : Date.parse(text);
  return at >= EXPRESSIBLE.firstMs && at <= EXPRESSIBLE.lastMs ? new Date(at).toISOString() : undefined;
}
