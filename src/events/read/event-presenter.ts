import { contentHash } from '../../mirror/index.ts';
import type { CalendarEvent, DeletedEvent, EventDateTime, OriginalStart } from '../../model/index.ts';
import type { EventContent, RecurrenceId } from '../../ports/index.ts';
import { parseOccurrenceId, recurrenceIdMs } from '../../recurrence/index.ts';
import {
  formatDate,
  formatInstant,
  formatWall,
  instantOfText,
  offsetAt,
  resolveZone,
  wallOfText,
} from '../../zones/index.ts';
import type { EventGroup } from './event-group.ts';
import { inheritedMark, type Member, memberContent } from './group-members.ts';
import { occurrenceContent } from './occurrence-content.ts';

/**
 * A record as the interface shows it, its fields in the order of the interface's documentation. Timed points are shown in
 * `displayZone`, else in the event's own zone; all-day ones have no zone and name the calendar's.
 */
export function presentEvent(member: Member, displayZone: string | undefined): CalendarEvent {
  const { group, item, slot } = member;
  // An occurrence shows its master's content, but for its times.
  const content = slot === undefined ? memberContent(member) : group.master!.content;
  const original = originalStartOf(member);
  const recurrence = slot === undefined ? content.recurrence : null;
  // Named fields one by one: a spread, or a loop over the names, costs as much as reading the event from the database.
  const event: Writable<CalendarEvent> = {
    id: member.id,
    title: content.title,
    description: content.description,
    etag: memberEtag(member),
    createdAt: content.createdAt,
    updatedAt: content.updatedAt,
    ...presentTimes(member, content, displayZone),
    isAllDay: content.isAllDay,
    publicExtendedProperties: content.publicExtendedProperties,
    privateExtendedProperties: content.privateExtendedProperties,
    isRecurring: recurrence !== null,
    isException: original !== undefined,
    isCancelled: member.isCancelled,
    recurrence,
  } as Writable<CalendarEvent>;
  if (original !== undefined) {
    event.originalStart = presentOriginalStart(original, group, content, displayZone);
    event.recurringEventId = item?.event.seriesId ?? group.groupId;
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
  return event;
}

type Writable<Shape> = { -readonly [Field in keyof Shape]: Shape[Field] };

/** The quoted etag of a record. */
export function memberEtag(member: Member): string {
  return `"${contentTag(member)}${zoneMark(member)}"`;
}

function contentTag({ group, item, slot, id }: Member): string {
  if (item === undefined) return contentHash([group.master!.version.etag, id, slot!.durationMs ?? null]);
  if (item.event.content !== null) {
    const inherited = inheritedMark(group, item);
    return inherited === '' ? item.version.etag : contentHash([item.version.etag, inherited]);
  }
  return contentHash([item.version.etag, group.master!.version.etag]);
}

/** The calendar's zone, where the record has none of its own and is shown in that. */
function zoneMark({ group, item }: Member): string {
  const { isAllDay, start, end } = item?.event.content ?? group.master!.content;
  const hasOwn = ({ timeZone }: EventDateTime) => resolveZone(timeZone) !== undefined;
  const isShownInOwn = !isAllDay && hasOwn(start) && (end.timeZone === start.timeZone || hasOwn(end));
  return isShownInOwn ? '' : `.${group.calendarZone}`;
}

/** The record of a sync result that tells to drop what `member` was. */
export function presentDeletion(member: Member, displayZone: string | undefined): DeletedEvent {
  const original = originalStartOf(member);
  const dropped = { id: member.id, isCancelled: true, isDeleted: true } as const;
  if (original === undefined) return dropped;
  return {
    ...dropped,
    recurringEventId: member.item?.event.seriesId ?? member.group.groupId,
    originalStart: presentOriginalStart(original, member.group, memberContent(member), displayZone),
  };
}

function originalStartOf({ item, id }: Member): RecurrenceId | undefined {
  return item === undefined ? parseOccurrenceId(id)?.recurrenceId : (item.event.recurrenceId ?? undefined);
}

function presentTimes(
  { group, slot, startMs, endMs }: Member,
  content: EventContent,
  displayZone: string | undefined,
): Pick<CalendarEvent, 'start' | 'end'> {
  const { start, end } = content;
  if (content.isAllDay) {
    const days = slot === undefined ? content : occurrenceContent(group.master!, slot);
    return { start: presentDay(days.start, group), end: presentDay(days.end, group) };
  }
  // A member's end is never before its start; what the provider sent may be, and is shown.
  const isOrdered = endMs > startMs || slot !== undefined;
  return {
    start: presentInstant(startMs, start.timeZone, group, displayZone),
    end: presentInstant(isOrdered ? endMs : writtenEnd(end, group), end.timeZone, group, displayZone),
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
  ownZone: string,
  { calendarZone }: EventGroup,
  displayZone: string | undefined,
): EventDateTime {
  const timeZone = displayZone ?? resolveZone(ownZone) ?? calendarZone;
  return { dateTime: formatInstant(timeZone, ms), timeZone };
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
