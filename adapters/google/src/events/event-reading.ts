import type { CalendarEvent } from 'kalends/model';
import {
  type EventChange,
  type EventContent,
  mirroredDescription,
  ProviderError,
  type ProviderEvent,
} from 'kalends/ports';
import { writtenLines } from 'kalends/recurrence';
import { readAttendeeKinds, readAttendees, readOwnResponse } from './attendees.ts';
import { readConference } from './conference.ts';
import { readSlot, readTimes } from './event-time.ts';
import type { WireEvent } from './event-wire.ts';
import { readExtendedProperties } from './extended-properties.ts';
import { readOverrides } from './own-marks.ts';
import { readReminders } from './reminders.ts';

/** Version of the mapping below; raise it with every change. */
export const MAPPING_VERSION = 3;

/** Maps an item of a list: a cancelled event is deleted, a cancelled instance is a cancelled slot of its series. */
export function readChange(wire: WireEvent, calendarZone: string): EventChange {
  if (isGone(wire)) return { kind: 'deleted', providerEventId: wire.id };
  return { kind: 'event', event: readEvent(wire, calendarZone) };
}

/** Returns true for a tombstone of a single event or a whole series. */
export function isGone(wire: WireEvent): boolean {
  return wire.status === 'cancelled' && wire.recurringEventId == null;
}

/** Returns true for a series master. */
export function isSeries(wire: WireEvent): boolean {
  return writtenLines(wire.recurrence ?? []).length > 0;
}

/**
 * Maps an event, a series master or an instance. A cancelled instance has no content: Google sends sometimes a stub and
 * sometimes all of it, and the same object must always map alike.
 * @throws ProviderError malformed
 */
export function readEvent(wire: WireEvent, calendarZone: string): ProviderEvent {
  const isCancelled = wire.status === 'cancelled';
  const seriesId = wire.recurringEventId ?? null;
  const attendeeKinds = isCancelled ? undefined : readAttendeeKinds(wire.attendees);
  const overrides =
    isCancelled || seriesId === null ? undefined : readOverrides(wire.extendedProperties?.private ?? {});
  return {
    providerEventId: wire.id,
    providerTag: wire.etag ?? null,
    seriesId,
    recurrenceId: seriesId === null ? null : readSlot(originalOf(wire), calendarZone),
    isCancelled,
    content: isCancelled ? null : readContent(wire, calendarZone),
    ...(overrides === undefined ? {} : { overrides }),
    isOrganizer: !isCancelled && wire.organizer?.self === true && wire.locked !== true,
    ...(attendeeKinds === undefined ? {} : { attendeeKinds }),
  };
}

function originalOf(wire: WireEvent) {
  const original = wire.originalStartTime ?? wire.start;
  if (original == null) throw malformed(wire, 'an instance without its original start');
  return original;
}

function malformed(wire: WireEvent, what: string): ProviderError {
  return new ProviderError('malformed', `Google answered ${what} (${wire.id})`);
}

function readContent(wire: WireEvent, calendarZone: string): EventContent {
  if (wire.start == null) throw malformed(wire, 'an event without a start');
  const updatedAt = timestamp(wire.updated ?? wire.created);
  const myResponseStatus = readOwnResponse(wire);
  return {
    title: wire.summary ?? '',
    description: mirroredDescription(wire.description ?? ''),
    createdAt: wire.created == null ? updatedAt : timestamp(wire.created),
    updatedAt,
    ...readTimes(wire.start, wire.end, calendarZone),
    ...readExtendedProperties(wire.extendedProperties),
    recurrence: isSeries(wire) ? [...writtenLines(wire.recurrence ?? [])] : null,
    ...(wire.colorId == null ? {} : { colorId: wire.colorId }),
    ...(myResponseStatus === undefined ? {} : { myResponseStatus }),
    attendees: readAttendees(wire.attendees),
    visibility: readChoice(wire.visibility, ['default', 'public', 'private', 'confidential'], 'default'),
    location: wire.location ?? '',
    ...readConference(wire),
    webLink: wire.htmlLink ?? '',
    iCalUid: wire.iCalUID ?? '',
    transparency: readChoice(wire.transparency, ['opaque', 'transparent'], 'opaque'),
    // Birthdays, working locations and events from Gmail are plain events here.
    eventType: readChoice(wire.eventType, ['default', 'outOfOffice', 'focusTime'], 'default'),
    ...readPeople(wire),
    reminders: readReminders(wire.reminders),
  };
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

/** Reads a time. Imported events have odd creation times; an unreadable one becomes the epoch. */
function timestamp(text: string | null | undefined): string {
  const at = text == null ? Number.NaN : Date.parse(text);
  return new Date(Number.isNaN(at) ? 0 : at).toISOString();
}
