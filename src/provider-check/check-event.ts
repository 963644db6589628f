import {
  type EventContent,
  EXPRESSIBLE,
  type ProviderEvent,
  readObject,
  requireExpressible,
  type UnreadableObject,
  unreadableField,
} from '../ports/index.ts';
import { readableLines, recurrenceIdMs } from '../recurrence/index.ts';
import { instantOfText, resolveZone, wallOfText } from '../zones/index.ts';
import { isUsableId, requireId, usableId } from './check-text.ts';

/** Returns the event without unreadable parts, or the unreadable object that it is. */
export function checkEvent(event: ProviderEvent): ProviderEvent | UnreadableObject {
  const { providerEventId, seriesId } = event;
  const about = {
    providerEventId: usableId(providerEventId),
    seriesId: seriesId !== null && isUsableId(seriesId) ? seriesId : null,
  };
  return readObject(about, () => {
    requireId('id', providerEventId);
    if (seriesId !== null) requireId('seriesId', seriesId);
    if (event.recurrenceId !== null) requireExpressible('recurrenceId', recurrenceIdMs(event.recurrenceId));
    return event.content === null ? event : checkContent(event, event.content);
  });
}

function checkContent(event: ProviderEvent, content: EventContent): ProviderEvent {
  requireTime('start', content.start, content.isAllDay);
  requireTime('end', content.end, content.isAllDay);
  for (const field of ['createdAt', 'updatedAt'] as const) {
    // Graph may leave a timestamp out, and imported events were created in the year 0.
    const isRead = content[field] === '' || !Number.isNaN(instantOfText(content[field], 'UTC'));
    if (!isRead) throw unreadableField(field, 'must be an ISO 8601 date-time');
  }
  if (content.recurrence === null) return event;
  const { isAllDay, recurrence } = content;
  const { lines, faults } = readableLines(recurrence, { isAllDay, ...EXPRESSIBLE });
  if (faults.length === 0) return event;
  return {
    ...event,
    content: { ...content, recurrence: [...lines] },
    unreadableParts: [...(event.unreadableParts ?? []), ...faults.map((fault) => `recurrence: ${fault}`)],
  };
}

function requireTime(field: string, { dateTime, timeZone }: EventContent['start'], isAllDay: boolean): void {
  requireExpressible(field, isAllDay ? wallOfText(dateTime) : instantOfText(dateTime, resolveZone(timeZone) ?? 'UTC'));
}
