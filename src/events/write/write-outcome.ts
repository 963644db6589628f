import type { EventChange, EventTarget } from '../../ports/index.ts';
import type { EventIntent } from './event-intent.ts';
import type { WritePlace } from './write-place.ts';

/** Data of an intent to write to one record, enough to read the outcome. */
export interface WriteData {
  /** Ids at the provider under which the outcome can be read. */
  readonly objectIds: readonly string[];
  /** Records to put on the re-read list instead: those that can only be read as what they are in the mirror. */
  readonly itemIds: readonly string[];
  /** The record that may go even if it lives only here, for a deletion. */
  readonly deletedId: string | null;
}

export function writeDataOf(target: EventTarget, itemId: string, isDeletion: boolean): WriteData {
  const deletedId = isDeletion ? itemId : null;
  if (target.kind === 'occurrence') return { objectIds: [target.seriesId], itemIds: [], deletedId };
  // The provider reports a deletion under the instance's own id; the mirror knows the record by its slot.
  if (target.current.seriesId !== null) return { objectIds: [], itemIds: [itemId], deletedId };
  return { objectIds: [target.providerEventId], itemIds: [], deletedId };
}

/** The data as this module wrote it; of other intents the groups are what can be read. */
export function readWriteData(data: unknown, groupIds: readonly string[]): WriteData {
  const isOurs = typeof data === 'object' && data !== null && 'objectIds' in data && 'itemIds' in data;
  return isOurs ? (data as WriteData) : { objectIds: groupIds, itemIds: [], deletedId: null };
}

/** Reads the outcome of a write, mirrors it and ends the intent. */
export async function mirrorOutcome(
  { account, calendar, session }: WritePlace,
  intent: EventIntent,
  { objectIds, itemIds, deletedId }: WriteData,
): Promise<void> {
  const changes: EventChange[] = itemIds.map((providerEventId) => ({ kind: 'reread', providerEventId }));
  for (const id of objectIds) changes.push(...(await account.provider.events.get(session, calendar, id)));
  await intent.finish(changes, deletedId === null ? {} : { deletedId });
}
