import type { CalendarEvent } from 'kalends/model';
import {
  type CalendarRef,
  type EventChange,
  type EventContent,
  LONGEST_MIRRORED_DESCRIPTION,
  type Logger,
  mirroredDescription,
  type ProviderEvent,
  type ProviderSession,
  type RecurrenceId,
  readObject,
  separateUnreadable,
  unreadableField,
} from 'kalends/ports';
import { compileSeries } from 'kalends/recurrence';
import { DAY_MS, formatDate, instantOf, parseWall, wallAt } from 'kalends/zones';
import { readAttendees, readResponse } from './attendees.ts';
import { readAvailability, readShowAs, readVisibility } from './availability.ts';
import { meetingProviderOf, readConference } from './conference.ts';
import { readDescription } from './description.ts';
import { readRecurrence, type SeriesStart, type ShownRecurrence } from './event-recurrence.ts';
import {
  dateOfSlot,
  dateOfWire,
  instantOfText,
  instantOfTimestamp,
  instantOfWire,
  readAllDay,
  readTimed,
} from './event-times.ts';
import type { WireEvent, WireMaster } from './event-wire.ts';
import { readZone, shownZone, zoneNameOf } from './event-zones.ts';
import { readExtensions } from './extensions.ts';
import { type KeptProperties, readKept } from './kept-properties.ts';
import { asShown } from './own-parts.ts';
import { readReminders } from './reminders.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Context in which an event is mapped. */
export interface ReadContext {
  /** The calendar's zone: for events whose own zone has no known rules. */
  readonly calendarZone: string;
  /** The account's own address, where the calendar is its own: its entry among the attendees shows its own answer. */
  readonly ownAddress?: string | undefined;
  readonly logger?: Logger | undefined;
}

/** Dependencies of reading a calendar's events. */
export function readContextOf(
  { logger }: { readonly logger?: Logger | undefined },
  { email }: Pick<ProviderSession, 'email'>,
  { timeZone, isShared }: Pick<CalendarRef, 'timeZone' | 'isShared'>,
): ReadContext {
  return { calendarZone: timeZone, ownAddress: isShared ? undefined : email, logger };
}

/** Maps a single event, or an instance whose master is out of reach. */
export function readEvent(wire: WireEvent, context: ReadContext): ProviderEvent {
  const seriesId = wire.seriesMasterId || null;
  return {
    ...identityOf(wire),
    seriesId,
    recurrenceId: seriesId === null ? null : originalStartOf(wire, wire.isAllDay ?? false, [], context),
    isCancelled: wire.isCancelled ?? false,
    content: {
      ...contentOf(wire, context, { recurrence: null, seriesZone: undefined }),
      ...(seriesId === null ? {} : { iCalUid: uidOfSeries(wire.iCalUId ?? '') }),
    },
  };
}

/** How uids of Exchange begin. */
const EXCHANGE_UID = '040000008200E00074C5B7101A82E008';

/**
 * Returns the uid of the series in that of an occurrence, which has the occurrence's date where the series has four zero bytes.
 * @see https://learn.microsoft.com/openspecs/exchange_server_protocols/ms-oxocal/ PidLidGlobalObjectId, PidLidCleanGlobalObjectId
 */
function uidOfSeries(uid: string): string {
  const { length } = EXCHANGE_UID;
  if (uid.slice(0, length).toUpperCase() !== EXCHANGE_UID) return uid;
  return `${uid.slice(0, length)}00000000${uid.slice(length + 8)}`;
}

/** Maps a whole series: master, exceptions, and a stub for each deleted slot without an EXDATE line. */
export function readSeries(
  wire: WireMaster,
  context: ReadContext,
): Omit<Extract<EventChange, { kind: 'series' }>, 'kind'> {
  const cancelledDates = deletedDates(wire);
  const recurrence = recurrenceOf(wire, context, cancelledDates);
  const unreadableParts = [
    ...(wire.unreadableParts ?? []),
    ...(recurrence.isUnreadable === true ? ['recurrence: must be a pattern that is known'] : []),
  ];
  const master: ProviderEvent = {
    ...identityOf(wire),
    seriesId: null,
    recurrenceId: null,
    isCancelled: wire.isCancelled ?? false,
    content: contentOf(wire, context, { recurrence: recurrence.lines, seriesZone: zoneNameOf(wire) }),
    ...(unreadableParts.length === 0 ? {} : { unreadableParts }),
  };
  const read = (wire.exceptionOccurrences ?? []).map((exception) =>
    readObject({ providerEventId: exception.id, seriesId: wire.id }, () => readException(exception, wire, context)),
  );
  const { readable: exceptions, unreadable: odd } = separateUnreadable(read);
  const unreadable = [...(wire.unreadableExceptions ?? []), ...odd];
  const deleted = (wire.cancelledOccurrences ?? []).filter((id) => !recurrence.excludedDates.has(dateOfName(id)));
  return {
    master,
    exceptions: [...exceptions, ...deleted.map((id) => deletedSlot(id, wire, context))],
    ...(unreadable.length === 0 ? {} : { unreadable }),
  };
}

function readException(exception: WireEvent, master: WireMaster, context: ReadContext): ProviderEvent {
  return {
    ...identityOf(exception),
    seriesId: master.id,
    recurrenceId: slotOfInstance(exception, master, context),
    isCancelled: exception.isCancelled ?? false,
    content: {
      ...contentOf(asShown(exception, master), context, { recurrence: null, seriesZone: undefined }),
      // Graph gives each occurrence its own uid; RFC 5545 §3.8.4.7 has one for the whole series.
      iCalUid: master.iCalUId ?? '',
    },
  };
}

function identityOf(wire: WireEvent): Pick<ProviderEvent, 'providerEventId' | 'providerTag' | 'isOrganizer'> {
  return {
    providerEventId: wire.id,
    providerTag: wire['@odata.etag'] ?? wire.changeKey ?? null,
    isOrganizer: wire.isOrganizer ?? false,
  };
}

/** The date that ends the name of a deleted slot. */
const dateOfName = (name: string): string => name.slice(-10);

/** Returns the stub of a deleted slot, which Graph names by the master's id and the slot's date. */
function deletedSlot(name: string, master: WireMaster, context: ReadContext): ProviderEvent {
  return {
    providerEventId: name,
    providerTag: null,
    seriesId: master.id,
    recurrenceId: slotOnDate(dateOfName(name), master, context),
    isCancelled: true,
    content: null,
    isOrganizer: master.isOrganizer ?? false,
  };
}

/** Returns the master's id in the name of a deleted slot; undefined for any other id. */
export function masterOfDeletedSlot(name: string): string | undefined {
  return /^OID\.(.+)\.\d{4}-\d\d-\d\d$/.exec(name)?.[1];
}

/** Returns the dates of the deleted slots of a series, in its zone. */
export function deletedDates(master: WireMaster): ReadonlySet<string> {
  return new Set((master.cancelledOccurrences ?? []).map(dateOfName));
}

/** Returns the slot of a series on a date of its zone, whether or not the series has one there. */
export function slotOnDate(date: string, master: WireEvent, context: ReadContext): RecurrenceId {
  const { dtstart, timeZone } = seriesStartOf(master, context);
  if (timeZone === null) return { kind: 'date', date };
  const [day, first] = [parseWall(date)?.wallMs ?? 0, parseWall(dtstart)?.wallMs ?? 0];
  return { kind: 'instant', startMs: instantOf(timeZone, day + (((first % DAY_MS) + DAY_MS) % DAY_MS)) };
}

/** Returns the date of a slot in the zone of its series. */
export function dateOfSlotStart(slot: RecurrenceId, master: WireEvent, context: ReadContext): string {
  if (slot.kind === 'date') return slot.date;
  return formatDate(wallAt(seriesStartOf(master, context).timeZone ?? 'UTC', slot.startMs));
}

/** Returns start and zone for the lines of a series. */
export function seriesStartOf(wire: WireEvent, context: ReadContext): SeriesStart {
  if (wire.isAllDay) return { dtstart: dateOfWire(wire.start), timeZone: null };
  const { details } = readKept(wire.singleValueExtendedProperties);
  const timeZone = shownZone(zoneNameOf(wire), details.startZone, context.calendarZone);
  return { dtstart: readTimed(wire.start, timeZone, context.calendarZone).dateTime.slice(0, 19), timeZone };
}

/** Returns the lines of a master; with an unreadable pattern only the first occurrence. */
function recurrenceOf(wire: WireMaster, context: ReadContext, cancelledDates: ReadonlySet<string>): ShownRecurrence {
  const kept = readKept(wire.singleValueExtendedProperties).details.recurrence;
  const shown = wire.recurrence && readRecurrence(wire.recurrence, seriesStartOf(wire, context), kept, cancelledDates);
  if (shown) return shown;
  context.logger?.warn('a recurrence of Graph was not understood', { pattern: wire.recurrence?.pattern.type });
  return { lines: ['RRULE:FREQ=DAILY;COUNT=1'], excludedDates: new Set(), isUnreadable: true };
}

/** Returns the present lines of a master. */
export function linesOf(wire: WireMaster, context: ReadContext): ShownRecurrence {
  return recurrenceOf(wire, context, deletedDates(wire));
}

/** Returns the slot of an instance in its series. */
export function slotOfInstance(wire: WireEvent, master: WireMaster, context: ReadContext): RecurrenceId {
  const zones = [readZone(master.originalStartTimeZone), readZone(master.recurrence?.range.recurrenceTimeZone)];
  const hasSlot = (midnightMs: number) =>
    compileSeries({ ...seriesStartOf(master, context), lines: linesOf(master, context).lines }).has(midnightMs);
  const slot = originalStartOf(wire, master.isAllDay ?? false, zones, context, hasSlot);
  if (slot.kind === 'date' || slot.startMs % MINUTE_MS !== 0) return slot;
  // Exchange names slots by whole minutes, those of a series that starts within a minute too.
  const startMs = instantOfWire(master.start, context.calendarZone);
  return { kind: 'instant', startMs: slot.startMs + Math.floor((startMs % MINUTE_MS) / SECOND_MS) * SECOND_MS };
}

function originalStartOf(
  wire: WireEvent,
  isAllDaySeries: boolean,
  zones: readonly (string | undefined)[],
  context: ReadContext,
  hasSlot?: (midnightMs: number) => boolean,
): RecurrenceId {
  // Its start is no substitute: that of a moved instance is another slot's.
  if (!wire.originalStart) throw unreadableField('originalStart', 'is required of an instance');
  const at = instantOfText(wire.originalStart);
  if (!isAllDaySeries) return { kind: 'instant', startMs: at };
  const known = [...zones, readZone(wire.originalStartTimeZone), context.calendarZone];
  return { kind: 'date', date: dateOfSlot(at, known, hasSlot) };
}

interface SeriesPart {
  readonly recurrence: readonly string[] | null;
  readonly seriesZone: string | null | undefined;
}

function contentOf(wire: WireEvent, context: ReadContext, part: SeriesPart): EventContent {
  const kept = readKept(wire.singleValueExtendedProperties);
  const { details } = kept;
  const isAllDay = wire.isAllDay ?? false;
  const conferenceData = readConference(wire);
  const provider = meetingProviderOf(wire);
  const text = wire.body?.content ?? '';
  const { length } = text;
  if (length > LONGEST_MIRRORED_DESCRIPTION) {
    context.logger?.info('only the beginning of a description is mirrored', { providerEventId: wire.id, length });
  }
  return {
    title: wire.subject ?? '',
    description: readDescription(mirroredDescription(text), wire, details.description),
    createdAt: timestampOf(wire.createdDateTime),
    updatedAt: timestampOf(wire.lastModifiedDateTime),
    ...timesOf(wire, kept, context, part.seriesZone),
    isAllDay,
    publicExtendedProperties: { ...kept.public },
    privateExtendedProperties: { ...kept.private },
    recurrence: part.recurrence === null ? null : [...part.recurrence],
    ...(details.colorId === undefined ? {} : { colorId: details.colorId }),
    ...(details.customColor === undefined ? {} : { customColor: details.customColor }),
    myResponseStatus: wire.isOrganizer ? 'accepted' : readResponse(wire.responseStatus?.response),
    attendees: readAttendees(wire, context.ownAddress),
    visibility: readVisibility(wire.sensitivity, details),
    location: wire.location?.displayName ?? '',
    ...(conferenceData === undefined ? {} : { conferenceData }),
    webLink: wire.webLink ?? '',
    iCalUid: wire.iCalUId ?? '',
    ...readAvailability(wire.showAs, details),
    showAs: readShowAs(wire.showAs),
    ...readExtensions(wire),
    ...organizerOf(wire),
    reminders: readReminders(wire, details),
    ...(provider === undefined ? {} : { generateMeetingUrlProvider: provider }),
  };
}

/** Whether an event of Graph is one of a series. */
export function isInstance({ type }: WireEvent): boolean {
  return type === 'occurrence' || type === 'exception';
}

/** Maps start and end of an event, a master or an instance. */
export function shownTimes(wire: WireEvent, context: ReadContext): Pick<EventContent, 'start' | 'end'> {
  return timesOf(wire, readKept(wire.singleValueExtendedProperties), context, zoneNameOf(wire));
}

function timesOf(
  wire: WireEvent,
  kept: KeptProperties,
  context: ReadContext,
  seriesZone: string | null | undefined,
): Pick<EventContent, 'start' | 'end'> {
  if (wire.isAllDay) return { start: readAllDay(wire.start), end: readAllDay(wire.end, wire.start) };
  const { calendarZone } = context;
  const [startMs, endMs] = [instantOfWire(wire.start, calendarZone), instantOfWire(wire.end, calendarZone)];
  const startZone = shownZone(seriesZone || zoneNameOf(wire), kept.details.startZone, calendarZone, startMs);
  const endZone = shownZone(wire.originalEndTimeZone, kept.details.endZone, startZone, endMs);
  return {
    start: readTimed(wire.start, startZone, calendarZone),
    // Some programs write a timed event that ends before it starts: it then lasts no time.
    end: readTimed(endMs < startMs ? wire.start : wire.end, endZone, calendarZone),
  };
}

function timestampOf(text: string | null | undefined): string {
  const at = instantOfTimestamp(text);
  return at === undefined ? '' : new Date(at).toISOString();
}

function organizerOf(wire: WireEvent): Pick<CalendarEvent, 'organizer'> {
  const { name, address } = wire.organizer?.emailAddress ?? {};
  if (!name && !address) return {};
  return {
    organizer: {
      ...(name ? { name } : {}),
      ...(address ? { email: address } : {}),
      isSelf: wire.isOrganizer ?? false,
    },
  };
}
