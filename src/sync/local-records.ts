import type { ItemVersion, ItemWrite } from '../ports/index.ts';
import { wallAt } from '../zones/index.ts';
import { compileMaster } from './master-series.ts';
import { slotMs } from './occurrence-id.ts';
import { livesOnlyHere, type StoredEvent, storedEvent } from './stored-event.ts';

export interface LocalRecordOptions {
  /** Reads items as the mirror has them now. */
  readonly readItems: (itemIds: readonly string[]) => Promise<readonly ItemVersion[]>;
  /** The item that our own write was aimed at: it alone may lose a record that lives only here. */
  readonly aimedAt?: string | undefined;
}

/**
 * Takes back from planned writes the removal and cancellation of records that live only here: that the provider does not
 * show them is no news. A master that is kept keeps its exceptions; one that goes takes its exceptions along, and one that
 * has other slots those whose slots it has lost.
 */
export async function spareLocal(
  writes: Map<string, ItemWrite>,
  known: ReadonlyMap<string, readonly ItemVersion[]>,
  options: LocalRecordOptions,
): Promise<void> {
  for (const group of known.values()) spareGroup(writes, group, options.aimedAt);
  const stubs = [...writes.values()].filter((write) => isStub(write) && !known.has(write.groupId));
  if (stubs.length === 0) return;
  for (const item of await options.readItems(stubs.map(({ itemId }) => itemId))) {
    if (isKept(item, options.aimedAt)) writes.delete(item.itemId);
  }
}

function spareGroup(writes: Map<string, ItemWrite>, group: readonly ItemVersion[], aimedAt: string | undefined): void {
  if (!group.some((item) => isKept(item, aimedAt))) return;
  const isRemoved = ({ itemId }: ItemVersion) => writes.get(itemId)?.content === null;
  const master = group.find(({ itemId, groupId }) => itemId === groupId);
  if (master !== undefined && isRemoved(master)) {
    if (!isKept(master, aimedAt)) return;
    for (const item of group) if (isRemoved(item)) writes.delete(item.itemId);
    return;
  }
  const hasSlot = slotsOf(master === undefined ? undefined : writes.get(master.itemId));
  for (const item of group) {
    const write = writes.get(item.itemId);
    if (write !== undefined && (write.content === null || isStub(write)) && isKept(item, aimedAt) && hasSlot(item)) {
      writes.delete(item.itemId);
    }
  }
}

/** Whether the slot of an item is one that a master has as it is about to be written. */
function slotsOf(write: ItemWrite | undefined): (item: ItemVersion) => boolean {
  const content = (write?.content as StoredEvent | null | undefined)?.content;
  if (content === undefined || content === null || content.recurrence === null) return () => true;
  const { series, isAllDay, timeZone } = compileMaster(content);
  return (item) => {
    const slot = storedEvent(item).originalStart;
    if (slot === null || (slot.kind === 'date') !== isAllDay) return true;
    return series.keyOf(isAllDay ? slotMs(slot) : wallAt(timeZone!, slotMs(slot))) !== undefined;
  };
}

function isKept(item: ItemVersion, aimedAt: string | undefined): boolean {
  return item.itemId !== aimedAt && livesOnlyHere(storedEvent(item));
}

/** A cancelled slot of which nothing else is told. */
function isStub({ content }: ItemWrite): boolean {
  return content !== null && (content as StoredEvent).content === null;
}
