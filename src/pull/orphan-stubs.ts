import { itemIdOf } from '../mirror/index.ts';
import type { EventChange, ItemVersion } from '../ports/index.ts';
import type { EventPull } from './pull-context.ts';

/** The changes that an answer about one object makes to the mirror, and the item that it is about. */
export interface Told {
  readonly changes: readonly EventChange[];
  readonly item: ItemVersion | undefined;
}

/**
 * Turns a cancelled occurrence whose series is not mirrored into a deletion: it is one of a deleted series, for which Google still
 * answers, and nothing is to be stored of it.
 * @param item the object that was asked for, as it is mirrored
 */
export async function withoutOrphanStub(
  { mirror, key }: EventPull,
  changes: readonly EventChange[],
  item: ItemVersion | undefined,
): Promise<Told> {
  const [change] = changes;
  if (changes.length !== 1 || change?.kind !== 'event') return { changes, item };
  const { event } = change;
  const { isCancelled, content, seriesId, providerEventId } = event;
  if (!isCancelled || seriesId === null || (await mirror.findItem(key, seriesId)) !== undefined)
    return { changes, item };
  const present = item ?? (await mirror.findItem(key, itemIdOf(event)));
  if (present === undefined) return { changes: [], item };
  return { changes: content === null ? [{ kind: 'deleted', providerEventId }] : changes, item: present };
}
