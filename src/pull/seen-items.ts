import { itemIdOf } from '../mirror/index.ts';
import type { Commit, EventChange } from '../ports/index.ts';

/** Returns the marks of items that a sweep has seen to exist. A reported deletion marks nothing: it is applied by itself. */
export function seenIn(changes: readonly EventChange[], generation: number): NonNullable<Commit['seen']> {
  return { generation, itemIds: changes.flatMap(shownItems) };
}

function shownItems(change: EventChange): readonly string[] {
  switch (change.kind) {
    case 'event':
      return [itemIdOf(change.event)];
    case 'series':
      return [change.master, ...change.exceptions].map(itemIdOf);
    case 'unreadable':
      // It is there. An exception has another item id, and the sweep asks for it.
      return change.providerEventId === '' ? [] : [change.providerEventId];
    case 'deleted':
    case 'reread':
      return [];
  }
}
