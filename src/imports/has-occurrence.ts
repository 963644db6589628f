import type { EventContent, RecurrenceId } from '../ports/index.ts';
import { compileSeries, recurrenceIdMs } from '../recurrence/index.ts';

/** Whether a series of a file has an occurrence. */
export function hasOccurrence(
  { start, isAllDay, recurrence }: Pick<EventContent, 'start' | 'isAllDay' | 'recurrence'>,
  slot: RecurrenceId,
  calendarZone: string,
): boolean {
  if (recurrence == null || isAllDay !== (slot.kind === 'date')) return false;
  const timeZone = isAllDay ? calendarZone : start.timeZone;
  const dtstart = start.dateTime.slice(0, isAllDay ? 10 : 19);
  return compileSeries({ dtstart, timeZone, lines: recurrence }).slotAt(recurrenceIdMs(slot)) !== undefined;
}
