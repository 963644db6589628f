import type { EventChange, ItemVersion, ItemWrite, ProviderEvent } from '../ports/index.ts';
import type { CommitOptions } from './commit-writes.ts';
import { planChanges } from './event-changes.ts';
import { commitPull, type EventPull, notifyChanged } from './pull-context.ts';
import { deletion, livesOnlyHere, storedEvent } from './stored-event.ts';

/**
 * Commits what the provider said, with its messages; resolves with the number of new versions. `asked` is the item that the
 * provider was asked about, which it may call deleted by an id of its own.
 */
export async function applyChanges(
  pull: EventPull,
  changes: readonly EventChange[],
  options: Omit<CommitOptions, 'at' | 'lease' | 'notify' | 'reread'>,
  asked?: ItemVersion,
): Promise<number> {
  const { mirror, key, provider } = pull;
  // A listing shows the exceptions of its series by itself.
  const isListed = options.seen !== undefined && options.rereadDone === undefined;
  const { revision: now } = (await mirror.find(key)) ?? pull.state;
  const plan = await planChanges(changes, {
    lane: key.applicationId,
    mappingVersion: provider.mappingVersion,
    readGroups: (ids) => mirror.readGroups(key, ids, now),
    readItems: (ids) => mirror.findItems(key, ids),
    followsMasters: !isListed,
  });
  const writes = [...plan.writes, ...deletionOf(asked, changes, provider.mappingVersion)];
  const reread = plan.rereads.length === 0 ? {} : { reread: plan.rereads };
  return (await commitPull(pull, writes, { ...options, ...reread, ...notifyChanged(pull) })).length;
}

function deletionOf(
  item: ItemVersion | undefined,
  changes: readonly EventChange[],
  mappingVersion: number,
): readonly ItemWrite[] {
  if (item === undefined || item.itemId === item.groupId) return [];
  const event = storedEvent(item);
  if (livesOnlyHere(event)) return [];
  const isGone = changes.some((change) => {
    if (change.kind === 'deleted') return change.providerEventId === event.providerEventId;
    // Its series is one no more: a single event has no exceptions.
    return change.kind === 'event' && change.event.providerEventId === item.groupId && isSingle(change.event);
  });
  return isGone ? [deletion(item.itemId, item.groupId, mappingVersion)] : [];
}

function isSingle({ seriesId, content }: ProviderEvent): boolean {
  return seriesId === null && content !== null && content.recurrence === null;
}
