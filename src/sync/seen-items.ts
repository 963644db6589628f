import type { Commit, EventChange } from '../ports/index.ts';
import { itemIdOf } from './stored-event.ts';

/** Marks of what the provider has shown to exist since a sweep began. What it calls gone is left to its own deletion. */
export function seenIn(changes: readonly EventChange[], generation: number): NonNullable<Commit['seen']> {
  return { generation, itemIds: changes.flatMap(shownItems) };
}

function shownItems(change: EventChange): readonly string[] {
  switch (change.kind) {
    case 'event':
      return [itemIdOf(change.event)];
    case 'series':
      return [change.master, ...change.exceptions].map(itemIdOf);
    case 'deleted':
    case 'reread':
      return [];
  }
}
