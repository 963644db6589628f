import type { CommitOptions } from '../mirror/index.ts';
import { deletion, isLocalOnly, itemIdOf, planChanges, storedEvent } from '../mirror/index.ts';
import type { EventChange, ItemVersion, ItemWrite, ProviderEvent } from '../ports/index.ts';
import { commitPull, currentRevision, type EventPull, notifyChanged } from './pull-context.ts';

/**
 * Commits the provider's changes with their messages, and returns the number of new versions.
 * @param requested the item that was fetched; the provider may report its deletion under another id
 */
export async function applyChanges(
  pull: EventPull,
  changes: readonly EventChange[],
  options: Omit<CommitOptions, 'at' | 'lease' | 'notify' | 'reread'>,
  requested?: ItemVersion,
): Promise<number> {
  const { mirror, key, provider } = pull;
  // A listing includes the exceptions of its series.
  const isListed = options.seen !== undefined && options.rereadDone === undefined;
  let now: Promise<number> | undefined;
  const plan = await planChanges(changes, {
    lane: key.applicationId,
    mappingVersion: provider.mappingVersion,
    async readGroups(ids) {
      now ??= currentRevision(pull);
      return mirror.readGroups(key, ids, await now);
    },
    readItems: (ids) => mirror.findItems(key, ids),
    followsMasters: !isListed,
  });
  const writes = [...plan.writes, ...deletionOf(requested, changes, provider.mappingVersion)];
  const lists = {
    ...(plan.rereads.length === 0 ? {} : { reread: plan.rereads }),
    ...(plan.unreadable === undefined ? {} : { unreadable: plan.unreadable }),
  };
  return (await commitPull(pull, writes, { ...options, ...lists, ...notifyChanged(pull) })).length;
}

function deletionOf(
  item: ItemVersion | undefined,
  changes: readonly EventChange[],
  mappingVersion: number,
): readonly ItemWrite[] {
  if (item === undefined) return [];
  const event = storedEvent(item);
  if (isLocalOnly(event)) return [];
  if (item.itemId === item.groupId && !isElsewhere(item, event, changes)) return [];
  const isGone = changes.some((change) => {
    if (change.kind === 'deleted') return change.providerEventId === event.providerEventId;
    // The series has become a single event, which has no exceptions.
    return change.kind === 'event' && change.event.providerEventId === item.groupId && isSingle(change.event);
  });
  return isGone || isElsewhere(item, event, changes) ? [deletion(item.itemId, item.groupId, mappingVersion)] : [];
}

/** Returns whether the object of an item has become another item: an instance of a series, or one of another series. */
function isElsewhere(
  item: ItemVersion,
  { providerEventId }: Pick<ProviderEvent, 'providerEventId'>,
  changes: readonly EventChange[],
): boolean {
  return changes
    .flatMap((change) => (change.kind === 'event' ? [change.event] : change.kind === 'series' ? change.exceptions : []))
    .some((event) => event.providerEventId === providerEventId && itemIdOf(event) !== item.itemId);
}

function isSingle({ seriesId, content }: ProviderEvent): boolean {
  return seriesId === null && content !== null && content.recurrence === null;
}
