import type { EventChange, EventContent, ItemVersion } from '../ports/index.ts';
import { canonicalJson } from './content-hash.ts';
import { storedEvent } from './stored-event.ts';

/**
 * Finds the known series whose changed master, reported without its exceptions, has other slots than the mirrored one.
 * Exceptions of former slots vanish at the provider silently: Google lists them neither as cancelled nor at all.
 */
export async function findMovedSeries(
  changes: readonly EventChange[],
  readItems: (itemIds: readonly string[]) => Promise<readonly ItemVersion[]>,
): Promise<ReadonlySet<string>> {
  const masters = new Map<string, EventContent>();
  for (const change of changes) {
    if (change.kind !== 'event' || change.event.seriesId !== null || change.event.content === null) continue;
    masters.set(change.event.providerEventId, change.event.content);
  }
  const moved = new Set<string>();
  if (masters.size === 0) return moved;
  for (const item of await readItems([...masters.keys()])) {
    const { content } = storedEvent(item);
    const changed = masters.get(item.itemId);
    if (content === null || content.recurrence === null || changed === undefined) continue;
    if (slotsOf(content) !== slotsOf(changed)) moved.add(item.itemId);
  }
  return moved;
}

/** Serializes the fields that determine a series' slots. */
function slotsOf({ start, isAllDay, recurrence }: EventContent): string {
  return canonicalJson([start, isAllDay, recurrence]);
}
