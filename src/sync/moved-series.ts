import type { EventChange, EventContent, ItemVersion } from '../ports/index.ts';
import { canonicalJson } from './content-hash.ts';
import { storedEvent } from './stored-event.ts';

/**
 * Ids of known series whose master is told on its own with other slots than the mirror has. Exceptions of slots that are no
 * more vanish at the provider without a word (Google lists them neither as cancelled nor at all).
 */
export async function findMovedSeries(
  changes: readonly EventChange[],
  readItems: (itemIds: readonly string[]) => Promise<readonly ItemVersion[]>,
): Promise<ReadonlySet<string>> {
  const told = new Map<string, EventContent>();
  for (const change of changes) {
    if (change.kind !== 'event' || change.event.seriesId !== null || change.event.content === null) continue;
    told.set(change.event.providerEventId, change.event.content);
  }
  const moved = new Set<string>();
  if (told.size === 0) return moved;
  for (const item of await readItems([...told.keys()])) {
    const { content } = storedEvent(item);
    const isSeries = content !== null && content.recurrence !== null;
    if (isSeries && slotsOf(content) !== slotsOf(told.get(item.itemId)!)) moved.add(item.itemId);
  }
  return moved;
}

/** What decides which slots a series has. */
function slotsOf({ start, isAllDay, recurrence }: EventContent): string {
  return canonicalJson([start, isAllDay, recurrence]);
}
