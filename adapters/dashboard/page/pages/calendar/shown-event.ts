import type { CalendarEvent } from 'kalends/model';
import { addDays, dateOf, wallMsOf, wallTextAt } from '../../parts/wall-time.ts';
import type { Period } from './period.ts';

/** An event or occurrence in its place of the calendar. */
export interface ShownEvent {
  /** Unique in the page: ids are unique within a calendar. */
  readonly key: string;
  readonly calendarId: string;
  readonly event: CalendarEvent;
  /** Wall time in the zone that is shown; a date if all-day. */
  readonly start: string;
  /** Exclusive. */
  readonly end: string;
  readonly marks: readonly Mark[];
}

/** Marks that tell an event from a plain one, beside its colour. */
export type Mark = 'recurring' | 'moved' | 'cancelled' | 'declined' | 'tentative' | 'unanswered' | 'free';

const SHORTEST_MS = 15 * 60_000;

/** Returns an event in its place, in a zone. */
export function shownEvent(calendarId: string, event: CalendarEvent, zone: string): ShownEvent {
  const wall = (text: string) => (event.isAllDay ? text.slice(0, 10) : wallTextAt(zone, Date.parse(text)));
  const start = wall(event.start.dateTime);
  return {
    key: `${calendarId}\n${event.id}`,
    calendarId,
    event,
    start,
    end: shownEnd(event, start, wall(event.end.dateTime)),
    marks: marksOf(event),
  };
}

/** Returns the end of the drawn event: where clocks are set back, it may read less than the start. */
function shownEnd(event: CalendarEvent, start: string, end: string): string {
  if (event.isAllDay) return end > start ? end : addDays(start, 1);
  const lasts = Date.parse(event.end.dateTime) - Date.parse(event.start.dateTime);
  if (end > start || lasts <= 0) return end;
  return isoOf(wallMsOf(start) + Math.max(lasts, SHORTEST_MS));
}

const isoOf = (wallMs: number) => `${dateOf(wallMs)}T${new Date(wallMs).toISOString().slice(11, 19)}`;

export function marksOf(event: CalendarEvent): readonly Mark[] {
  const marks: Mark[] = [];
  if (event.isCancelled) marks.push('cancelled');
  if (event.recurringEventId !== undefined || event.isRecurring) marks.push('recurring');
  if (isMoved(event)) marks.push('moved');
  const { myResponseStatus, organizer } = event;
  if (organizer?.isSelf !== true) {
    if (myResponseStatus === 'declined') marks.push('declined');
    if (myResponseStatus === 'tentative') marks.push('tentative');
    if (myResponseStatus === 'needsAction') marks.push('unanswered');
  }
  if (event.transparency === 'transparent') marks.push('free');
  return marks;
}

/** Tells whether an occurrence has another start than its series gives it. */
export function isMoved({ originalStart, start, isAllDay }: CalendarEvent): boolean {
  if (originalStart === undefined) return false;
  if ('date' in originalStart) return !isAllDay || originalStart.date !== start.dateTime.slice(0, 10);
  return isAllDay || Date.parse(originalStart.dateTime) !== Date.parse(start.dateTime);
}

/** Tells whether any of an event lies within days. */
export function isWithin({ start, end }: Pick<ShownEvent, 'start' | 'end'>, period: Period): boolean {
  return start < period.end && (end > period.start || start >= period.start);
}

/** Orders events as a calendar lists them. */
export const byStart = (one: ShownEvent, other: ShownEvent): number =>
  one.start < other.start ? -1 : one.start > other.start ? 1 : one.event.title.localeCompare(other.event.title);
