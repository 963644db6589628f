import { isSeries } from '../../mirror/index.ts';
import type { EventChange, EventTarget } from '../../ports/index.ts';
import type { EventIntent } from './event-intent.ts';
import type { WritePlace } from './write-place.ts';

/** Data of an intent to write to one record, enough to read the outcome. */
export interface WriteData {
  /** Ids at the provider under which the outcome can be read. */
  readonly objectIds: readonly string[];
  /** Whether they named series when the write began. */
  readonly isSeries: boolean;
  /** Records to put on the re-read list instead: those that can only be read as what they are in the mirror. */
  readonly itemIds: readonly string[];
  /** The record that may go even if it lives only here, for a deletion. */
  readonly deletedId: string | null;
}

/** The provider's object that a target is read with: the whole series of an occurrence. */
export function objectOf(target: EventTarget): { readonly id: string; readonly isSeries: boolean } {
  if (target.kind === 'occurrence') return { id: target.seriesId, isSeries: true };
  return { id: target.providerEventId, isSeries: isSeries(target.current) };
}

export function writeDataOf(target: EventTarget, itemId: string, isDeletion: boolean): WriteData {
  const deletedId = isDeletion ? itemId : null;
  // The provider reports a deletion under the instance's own id; the mirror knows the record by its slot.
  const isOrphan = target.kind === 'event' && target.current.seriesId !== null;
  if (isOrphan) return { objectIds: [], isSeries: false, itemIds: [itemId], deletedId };
  const { id, isSeries } = objectOf(target);
  return { objectIds: [id], isSeries, itemIds: [], deletedId };
}

/** The data as this module wrote it; of other intents the groups are what can be read. */
export function readWriteData(data: unknown, groupIds: readonly string[]): WriteData {
  const isOurs = typeof data === 'object' && data !== null && 'objectIds' in data && 'itemIds' in data;
  return isOurs ? (data as WriteData) : { objectIds: groupIds, isSeries: false, itemIds: [], deletedId: null };
}

/** Reads the outcome of a write, mirrors it and ends the intent. */
export async function mirrorOutcome(
  { account, calendar, session }: WritePlace,
  intent: EventIntent,
  { objectIds, isSeries, itemIds, deletedId }: WriteData,
): Promise<void> {
  const changes: EventChange[] = itemIds.map((providerEventId) => ({ kind: 'reread', providerEventId }));
  for (const id of objectIds) {
    const mustBeListed = deletedId !== null;
    changes.push(...(await account.provider.events.get(session, calendar, id, { isSeries, mustBeListed })));
  }
  await intent.finish(changes, deletedId === null ? {} : { deletedId });
}
