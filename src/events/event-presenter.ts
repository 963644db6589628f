import {
  type CalendarEvent,
  calendarEvent,
  type DeletedEvent,
  type EventDateTime,
  type OriginalStart,
} from '../model/index.ts';
import type { EventContent, SlotStart } from '../ports/index.ts';
import { contentHash } from '../sync/content-hash.ts';
import { instantOfText, wallOfText } from '../sync/event-time.ts';
import { parseOccurrenceId, slotMs } from '../sync/occurrence-id.ts';
import { formatDate, formatInstant, formatWall, offsetAt, resolveZone } from '../zones/index.ts';
import type { EventGroup } from './event-group.ts';
import { type Member, memberContent } from './group-members.ts';

/** In the order of the interface's documentation, for the eye of whoever reads an answer. */
const FIELDS = Object.keys(calendarEvent.shape) as readonly (keyof CalendarEvent)[];

/**
 * A record as the interface shows it. Timed points are shown in `displayZone`, else in the event's own zone; all-day ones
 * have no zone and name the calendar's.
 */
export function presentEvent(member: Member, displayZone: string | undefined): CalendarEvent {
  const { group, item, slot } = member;
  const content = memberContent(member);
  const zone = group.calendarZone;
  const original = originalStartOf(member);
  return inOrder({
    ...content,
    id: member.id,
    etag: memberEtag(member),
    start: presentPoint(content.start, content.isAllDay, zone, displayZone),
    end: presentPoint(content.end, content.isAllDay, zone, displayZone),
    isRecurring: slot === undefined && content.recurrence !== null,
    isException: original !== undefined,
    isCancelled: member.isCancelled,
    ...(original === undefined
      ? {}
      : {
          recurringEventId: item?.event.seriesId ?? group.groupId,
          originalStart: presentOriginalStart(original, group, content, displayZone),
        }),
  });
}

function inOrder(event: CalendarEvent): CalendarEvent {
  const ordered: Record<string, unknown> = {};
  for (const field of FIELDS) if (event[field] !== undefined) ordered[field] = event[field];
  return ordered as CalendarEvent;
}

/** The quoted etag of a record. */
export function memberEtag({ group, item, slot, id }: Member): string {
  if (item === undefined) return `"${contentHash([group.master!.version.etag, id, slot!.durationMs ?? null])}"`;
  if (item.event.content !== null) return `"${item.version.etag}"`;
  return `"${contentHash([item.version.etag, group.master!.version.etag])}"`;
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

function originalStartOf({ item, id }: Member): SlotStart | undefined {
  return item === undefined ? parseOccurrenceId(id)?.slot : (item.event.originalStart ?? undefined);
}

function presentPoint(
  point: EventDateTime,
  isAllDay: boolean,
  calendarZone: string,
  displayZone: string | undefined,
): EventDateTime {
  if (isAllDay) return { dateTime: formatWall(wallOfText(point.dateTime)), timeZone: calendarZone };
  const own = resolveZone(point.timeZone);
  const zone = displayZone ?? own ?? calendarZone;
  return { dateTime: formatInstant(zone, instantOfText(point.dateTime, own ?? calendarZone)), timeZone: zone };
}

function presentOriginalStart(
  slot: SlotStart,
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
  return { dateTime: formatInstant(zone, slotMs(slot)), timeZone: zone };
}
