import { type EventChange, ProviderError, type RecurrenceId } from 'kalends/ports';
import { compileSeries, recurrenceIdMs } from 'kalends/recurrence';

/**
 * Requires that a series has a slot, changed or not.
 * @throws ProviderError not-found
 */
export function requireSlot(changes: readonly EventChange[], slot: RecurrenceId, calendarZone: string): void {
  const [change] = changes;
  const key = JSON.stringify(slot);
  const exceptions = changes.flatMap((part) => {
    if (part.kind === 'series') return part.exceptions;
    return part.kind === 'event' ? [part.event] : [];
  });
  if (exceptions.some(({ recurrenceId }) => JSON.stringify(recurrenceId) === key)) return;
  const content = change?.kind === 'series' ? change.master.content : null;
  if (content?.recurrence != null && content.isAllDay === (slot.kind === 'date')) {
    const timeZone = content.isAllDay ? calendarZone : content.start.timeZone;
    const dtstart = content.isAllDay ? content.start.dateTime.slice(0, 10) : content.start.dateTime.slice(0, 19);
    const series = compileSeries({ dtstart, timeZone, lines: content.recurrence });
    if (series.slotAt(recurrenceIdMs(slot)) !== undefined) return;
  }
  throw new ProviderError('not-found', 'the series has no such occurrence');
}
