import type { EventContent, RecurrenceId } from '../../ports/index.ts';
import { compileSeries, recurrenceIdMs, type Series } from '../../recurrence/index.ts';
import type { MasterReading } from '../read/read-master.ts';

/** A series as it is written in a resource, compiled. */
export interface SeriesForm {
  readonly content: EventContent;
  readonly series: Series;
  readonly timeZone: string;
}

/** Returns a series compiled; undefined for an event that is none. */
export function formOf({ event: { content }, start }: MasterReading): SeriesForm | undefined {
  if (content?.recurrence == null) return undefined;
  const timeZone = content.isAllDay ? '' : start.timeZone;
  const series = compileSeries({ dtstart: start.wall, timeZone: timeZone || null, lines: content.recurrence });
  return { content, series, timeZone };
}

/** Returns whether a series has a slot. */
export function hasSlot(series: Series, slot: RecurrenceId): boolean {
  return (slot.kind === 'date') === series.isAllDay && series.slotAt(recurrenceIdMs(slot)) !== undefined;
}
