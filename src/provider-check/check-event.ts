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
import { portContent, portEvent, requireShape } from './port-shapes.ts';

/** Returns the event without unreadable parts, or the unreadable object that it is. */
export function checkEvent(event: ProviderEvent): ProviderEvent | UnreadableObject {
  return readObject(namesOf(event), () => {
    requireShape(event, portEvent);
    const { providerEventId, seriesId, recurrenceId, isCancelled, content } = event;
    requireId('id', providerEventId);
    if (seriesId !== null) requireId('seriesId', seriesId);
    if ((seriesId === null) !== (recurrenceId === null)) {
      throw unreadableField('recurrenceId', 'must be set exactly when seriesId is');
    }
    if (recurrenceId !== null) requireExpressible('recurrenceId', recurrenceIdMs(recurrenceId));
    if (content !== null) return checkContent(event, content);
    if (!isCancelled) throw unreadableField('content', 'is required unless the event is cancelled');
    return event;
  });
}

/** Returns the names of an object under which every storage can keep it, whatever the object is. */
export function namesOf(object: unknown): Pick<UnreadableObject, 'providerEventId' | 'seriesId'> {
  const { providerEventId, seriesId }: { readonly providerEventId?: unknown; readonly seriesId?: unknown } =
    typeof object === 'object' && object !== null ? object : {};
  return { providerEventId: usableId(providerEventId), seriesId: isUsableId(seriesId) ? seriesId : null };
}

function checkContent(event: ProviderEvent, content: EventContent): ProviderEvent {
  requireShape(content, portContent);
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
