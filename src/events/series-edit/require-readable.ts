import type { EventPatch } from '../../ports/index.ts';
import { unreadableEvent } from '../read/event-locator.ts';
import type { SeriesEdit } from './series-journal.ts';
import type { SeriesSnapshot } from './series-snapshot.ts';
import { isShaping } from './whole-plan.ts';

/**
 * Refuses an edit that carries exceptions over for a series with an unreadable one, which would be lost.
 * @throws KalendsError ProviderError, naming the exception
 */
export function requireReadableExceptions({ unreadable = [] }: SeriesSnapshot, { insert, change }: SeriesEdit): void {
  const [odd] = unreadable;
  const carriesOver = insert !== null || change.kind === 'revive' || isShaping(change.patch);
  if (odd !== undefined && carriesOver) throw unreadableEvent({ objectId: odd.providerEventId, reason: odd.reason });
}

/**
 * Refuses an edit that has to know every slot of a series with unreadable parts: its recurrence would be written without them.
 * @throws KalendsError ProviderError, naming the series
 */
export function requireReadableRecurrence({ master }: SeriesSnapshot): void {
  const { providerEventId } = master;
  // Other events of the object, by their UIDs, are no part of the series.
  const parts = (master.unreadableParts ?? []).filter((part) => !part.startsWith('UID:'));
  if (parts.length > 0) throw unreadableEvent({ objectId: providerEventId, reason: parts.join('; ') });
}

/** Whether a patch of a whole series leaves new slots to be worked out from its present lines. */
export function buildsOnRecurrence({ master }: SeriesSnapshot, patch: EventPatch): boolean {
  if (!isShaping(patch)) return false;
  // Lines that are sent back as they were shown lack the same parts.
  return patch.recurrence == null || patch.recurrence.join('\n') === master.content.recurrence?.join('\n');
}
