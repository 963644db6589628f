import { itemIdOf } from '../mirror/index.ts';
import type { EventChange } from '../ports/index.ts';

/**
 * Returns the ids, ours and the provider's, of the objects that the changes describe completely: single events, series with
 * their exceptions, and deletions. A master or an exception alone is not complete.
 */
export function wholeObjects(changes: readonly EventChange[]): ReadonlySet<string> {
  return new Set(changes.flatMap(idsOf));
}

function idsOf(change: EventChange): readonly string[] {
  switch (change.kind) {
    case 'series':
      return [change.master, ...change.exceptions].flatMap((event) => [event.providerEventId, itemIdOf(event)]);
    case 'event': {
      const { providerEventId, seriesId, content } = change.event;
      const isSingle = seriesId === null && (content === null || content.recurrence === null);
      return isSingle ? [providerEventId] : [];
    }
    case 'unreadable':
    case 'deleted':
      return [change.providerEventId];
    case 'reread':
      return [];
  }
}
