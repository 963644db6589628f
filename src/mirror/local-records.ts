import type { ItemVersion, ItemWrite } from '../ports/index.ts';
import { recurrenceIdMs } from '../recurrence/index.ts';
import { compileMaster } from './master-series.ts';
import { isLocalOnly, type StoredEvent, storedEvent } from './stored-event.ts';

export interface LocalRecordOptions {
  /** Reads the present items. */
  readonly readItems: (itemIds: readonly string[]) => Promise<readonly ItemVersion[]>;
  /** Item that our own write deletes: only its local-only record may be removed. */
  readonly deletedId?: string | undefined;
}

/**
 * Drops planned deletions and cancellations of local-only records; the provider never lists them. A kept master keeps its
 * exceptions, a removed one removes them, and one whose slots changed removes the exceptions of its former slots.
 */
export async function keepLocalRecords(
  writes: Map<string, ItemWrite>,
  known: ReadonlyMap<string, readonly ItemVersion[]>,
  options: LocalRecordOptions,
): Promise<void> {
  for (const group of known.values()) keepGroup(writes, group, options.deletedId);
  const stubs = [...writes.values()].filter((write) => isStub(write) && !known.has(write.groupId));
  if (stubs.length === 0) return;
  for (const item of await options.readItems(stubs.map(({ itemId }) => itemId))) {
    if (isKept(item, options.deletedId)) writes.delete(item.itemId);
  }
}

function keepGroup(writes: Map<string, ItemWrite>, group: readonly ItemVersion[], deletedId: string | undefined): void {
  if (!group.some((item) => isKept(item, deletedId))) return;
  const isRemoved = ({ itemId }: ItemVersion) => writes.get(itemId)?.content === null;
  const master = group.find(({ itemId, groupId }) => itemId === groupId);
  if (master !== undefined && isRemoved(master)) {
    if (!isKept(master, deletedId)) return;
    for (const item of group) if (isRemoved(item)) writes.delete(item.itemId);
    return;
  }
  const hasSlot = slotsOf(master === undefined ? undefined : writes.get(master.itemId));
  for (const item of group) {
    const write = writes.get(item.itemId);
    if (write !== undefined && (write.content === null || isStub(write)) && isKept(item, deletedId) && hasSlot(item)) {
      writes.delete(item.itemId);
    }
  }
}

/** Returns the test whether an item's slot belongs to the master as it is about to be written. */
function slotsOf(write: ItemWrite | undefined): (item: ItemVersion) => boolean {
  const content = (write?.content as StoredEvent | null | undefined)?.content;
  if (content === undefined || content === null || content.recurrence === null) return () => true;
  const { series, isAllDay } = compileMaster(content);
  return (item) => {
    const slot = storedEvent(item).recurrenceId;
    if (slot === null || (slot.kind === 'date') !== isAllDay) return true;
    return series.slotNamed(recurrenceIdMs(slot)) !== undefined;
  };
}

function isKept(item: ItemVersion, deletedId: string | undefined): boolean {
  return item.itemId !== deletedId && isLocalOnly(storedEvent(item));
}

/** Returns whether a write is a cancelled slot without content. */
function isStub({ content }: ItemWrite): boolean {
  return content !== null && (content as StoredEvent).content === null;
}
