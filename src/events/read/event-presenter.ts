import { contentHash } from '../../mirror/index.ts';
import type { CalendarEvent, DeletedEvent, EventDateTime, OriginalStart } from '../../model/index.ts';
import type { EventContent, RecurrenceId } from '../../ports/index.ts';
import { recurrenceIdMs } from '../../recurrence/index.ts';
import {
  formatDate,
  formatInstant,
  formatOffset,
  formatWall,
  instantOfText,
  nominalWallOf,
  offsetAt,
  resolveZone,
  wallOfText,
} from '../../zones/index.ts';
import type { EventGroup } from './event-group.ts';
import { type EventRecord, inheritedMark, recordContent, slotMark, timelessContent } from './group-records.ts';

/**
 * A record as the interface shows it, its fields in the order of the interface's documentation. Timed points are shown in
 * `displayZone`, else in the event's own zone; all-day ones have no zone and name the calendar's.
 */
export function presentEvent(record: EventRecord, displayZone: string | undefined): CalendarEvent {
  const { group, recurrenceId } = record;
  const content = timelessContent(record);
  const recurrence = record.kind === 'stored' ? content.recurrence : null;
  // Named fields one by one: a spread, or a loop over the names, costs as much as reading the event from the database.
  const event: Writable<CalendarEvent> = {
    id: record.id,
    title: content.title,
    description: content.description,
    etag: recordEtag(record),
    createdAt: content.createdAt,
    updatedAt: content.updatedAt,
    ...presentTimes(record, content, displayZone),
    isAllDay: content.isAllDay,
    publicExtendedProperties: content.publicExtendedProperties,
    privateExtendedProperties: content.privateExtendedProperties,
    isRecurring: recurrence !== null,
    isException: recurrenceId !== null,
    isCancelled: record.isCancelled,
    recurrence,
  } as Writable<CalendarEvent>;
  if (recurrenceId !== null) {
    event.originalStart = presentOriginalStart(recurrenceId, group, content, displayZone);
    event.recurringEventId = seriesIdOf(record);
  }
  if (content.colorId !== undefined) event.colorId = content.colorId;
  if (content.customColor !== undefined) event.customColor = content.customColor;
  if (content.myResponseStatus !== undefined) event.myResponseStatus = content.myResponseStatus;
  event.attendees = content.attendees;
  event.visibility = content.visibility;
  event.location = content.location;
  if (content.conferenceData !== undefined) event.conferenceData = content.conferenceData;
  event.webLink = content.webLink;
  event.iCalUid = content.iCalUid;
  event.transparency = content.transparency;
  event.eventType = content.eventType;
  if (content.organizer !== undefined) event.organizer = content.organizer;
  if (content.creator !== undefined) event.creator = content.creator;
  event.reminders = content.reminders;
  if (content.generateMeetingUrlProvider !== undefined) {
    event.generateMeetingUrlProvider = content.generateMeetingUrlProvider;
  }
  presentExtensions(event, content);
  return event;
}

function presentExtensions(event: Writable<CalendarEvent>, content: EventContent): void {
  event.status = content.status;
  event.showAs = content.showAs;
  event.categories = content.categories;
  if (content.locationDetails !== undefined) event.locationDetails = content.locationDetails;
  if (content.guestsCanModify !== undefined) event.guestsCanModify = content.guestsCanModify;
  if (content.guestsCanInviteOthers !== undefined) event.guestsCanInviteOthers = content.guestsCanInviteOthers;
  event.guestsCanSeeOtherGuests = content.guestsCanSeeOtherGuests;
  if (content.allowNewTimeProposals !== undefined) event.allowNewTimeProposals = content.allowNewTimeProposals;
  event.hasAttachments = content.hasAttachments;
  if (content.providerEventType !== undefined) event.providerEventType = content.providerEventType;
}

type Writable<Shape> = { -readonly [Field in keyof Shape]: Shape[Field] };

/** The quoted etag of a record. */
export function recordEtag(record: EventRecord): string {
  const isOfSlot = record.kind === 'stored' && record.recurrenceId !== null;
  const slot = isOfSlot ? slotMark(record.group, record.item, record.content) : '';
  return `"${contentTag(record)}${zoneMark(record)}${slot}"`;
}

function contentTag(record: EventRecord): string {
  if (record.kind === 'computed') {
    return contentHash([record.master.version.etag, record.id, record.slot.durationMs ?? null]);
  }
  const { group, item } = record;
  if (item.event.content !== null) {
    const inherited = inheritedMark(group, item);
    return inherited === '' ? item.version.etag : contentHash([item.version.etag, inherited]);
  }
  return contentHash([item.version.etag, group.master?.version.etag ?? null]);
}

/** The calendar's zone, where the record has none of its own and is shown in that. */
function zoneMark(record: EventRecord): string {
  const { isAllDay, start, end } = timelessContent(record);
  const hasOwn = ({ timeZone }: EventDateTime) => resolveZone(timeZone) !== undefined;
  const isShownInOwn = !isAllDay && hasOwn(start) && (end.timeZone === start.timeZone || hasOwn(end));
  return isShownInOwn ? '' : `.${record.group.calendarZone}`;
}

/** The record of a sync result that tells to drop what `record` was. */
export function presentDeletion(record: EventRecord, displayZone: string | undefined): DeletedEvent {
  const { id, group, recurrenceId } = record;
  const dropped = { id, isCancelled: true, isDeleted: true } as const;
  if (recurrenceId === null) return dropped;
  return {
    ...dropped,
    recurringEventId: seriesIdOf(record),
    originalStart: presentOriginalStart(recurrenceId, group, timelessContent(record), displayZone),
  };
}

function seriesIdOf(record: EventRecord): string {
  return (record.kind === 'stored' ? record.item.event.seriesId : null) ?? record.group.groupId;
}

function presentTimes(
  record: EventRecord,
  content: EventContent,
  displayZone: string | undefined,
): Pick<CalendarEvent, 'start' | 'end'> {
  const { group, startMs, endMs } = record;
  const { start, end } = content;
  if (content.isAllDay) {
    const days = recordContent(record);
    return { start: presentDay(days.start, group), end: presentDay(days.end, group) };
  }
  // A record's end is never before its start; what the provider sent may be, and is shown.
  const isOrdered = endMs > startMs || record.kind === 'computed';
  const isSeries = record.kind === 'stored' && content.recurrence !== null;
  const present = isSeries ? presentNominal : presentInstant;
  return {
    start: present(startMs, start, group, displayZone),
    end: present(isOrdered ? endMs : writtenEnd(end, group), end, group, displayZone),
  };
}

function writtenEnd({ dateTime, timeZone }: EventDateTime, { calendarZone }: EventGroup): number {
  return instantOfText(dateTime, resolveZone(timeZone) ?? calendarZone);
}

function presentDay({ dateTime }: EventDateTime, { calendarZone }: EventGroup): EventDateTime {
  return { dateTime: formatWall(wallOfText(dateTime)), timeZone: calendarZone };
}

function presentInstant(
  ms: number,
  own: EventDateTime,
  { calendarZone }: EventGroup,
  displayZone: string | undefined,
): EventDateTime {
  const timeZone = displayZone ?? resolveZone(own.timeZone) ?? calendarZone;
  return { dateTime: formatInstant(timeZone, ms), timeZone };
}

/** A time of a series that the clocks skip is the instant of its first occurrence, and says where all others are. */
function presentNominal(
  ms: number,
  own: EventDateTime,
  group: EventGroup,
  displayZone: string | undefined,
): EventDateTime {
  const shown = presentInstant(ms, own, group, displayZone);
  const { timeZone } = shown;
  if (resolveZone(own.timeZone) !== timeZone) return shown;
  const wallMs = nominalWallOf(timeZone, own.dateTime);
  return { dateTime: formatWall(wallMs) + formatOffset(wallMs - ms), timeZone };
}

function presentOriginalStart(
  slot: RecurrenceId,
  group: EventGroup,
  content: EventContent,
  displayZone: string | undefined,
): OriginalStart {
  if (slot.kind === 'date') return { date: slot.date };
  // An all-day series names its slots by date, even where a provider gave the instant.
  if (group.master?.compiled.isAllDay === true) {
    return { date: formatDate(slot.startMs + offsetAt(group.calendarZone, slot.startMs)) };
  }
  const series = (group.master?.content ?? content).start.timeZone;
  const zone = displayZone ?? resolveZone(series) ?? group.calendarZone;
  return { dateTime: formatInstant(zone, recurrenceIdMs(slot)), timeZone: zone };
}
