import { type EventChange, ProviderError, type PullKnowledge } from 'kalends/ports';
import { eventsOf, type FeedReading } from './feed-reading.ts';
import type { FeedToken } from './feed-token.ts';

/** An exception's id begins with that of its series, which has no underscore at this place. */
export const seriesOf = (providerEventId: string) => providerEventId.slice(0, 22);

/**
 * Finds what has changed since a token, deletions first: an exception may have become part of its series.
 * @throws ProviderError sync-token-expired for a large feed that has changed, where the mirror cannot be asked
 */
export async function changesBetween(
  before: FeedToken,
  next: FeedToken,
  reading: FeedReading,
  mirror: PullKnowledge | undefined,
): Promise<readonly EventChange[]> {
  const { units: told, unread } = before;
  if (told === next.units) return [];
  if (told !== null && typeof told === 'object') return changesSince(told, reading);
  if (unread === undefined || mirror === undefined) {
    throw new ProviderError('sync-token-expired', 'the feed is too large for its changes');
  }
  return await changesSinceMirrored(unread, reading, mirror);
}

function changesSince(before: Readonly<Record<string, string>>, reading: FeedReading): readonly EventChange[] {
  const gone = Object.keys(before).filter((id) => isGone(id, reading));
  const changed = [...reading.units].filter(([id, { hash }]) => before[id] !== hash);
  return [...gone.map(deletionOf), ...changed.map(([, { change }]) => change)];
}

/**
 * Compares a large feed with the mirror, series by series.
 * @param unread units that were not read whole: the mirror has an earlier version of them, or none
 */
async function changesSinceMirrored(
  unread: readonly string[],
  reading: FeedReading,
  mirror: PullKnowledge,
): Promise<readonly EventChange[]> {
  const units = [...reading.units];
  const groups = new Set(units.map(([id]) => seriesOf(id)));
  const mirrored = new Set(groups);
  for await (const ids of mirror.listIds()) for (const id of ids) mirrored.add(id);
  const left = new Map(await mirror.tagsOf([...mirrored]));
  const changed = new Set<string>();
  for (const [id, { change, isWhole }] of units) {
    if (!isWhole) changed.add(seriesOf(id));
    for (const { providerEventId, providerTag } of eventsOf(change)) {
      if (left.get(providerEventId) !== providerTag) changed.add(seriesOf(id));
      left.delete(providerEventId);
    }
  }
  const gone = new Set<string>();
  for (const id of [...left.keys(), ...unread]) {
    changed.add(seriesOf(id));
    if (!groups.has(seriesOf(id))) gone.add(seriesOf(id));
    else if (isGone(id, reading)) gone.add(id);
  }
  const present = units.filter(([id]) => changed.has(seriesOf(id)));
  return [...[...gone].map(deletionOf), ...present.map(([, { change }]) => change)];
}

/** A slot that is missing may be one that cannot be read, alone or with its series. */
function isGone(id: string, { units }: FeedReading): boolean {
  const series = seriesOf(id);
  const mayBeUnread = id !== series && (units.has(`${series}_`) || units.get(series)?.change.kind === 'unreadable');
  return !units.has(id) && !mayBeUnread;
}

const deletionOf = (providerEventId: string): EventChange => ({ kind: 'deleted', providerEventId });
