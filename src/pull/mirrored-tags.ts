import { isLocalOnly, storedEvent } from '../mirror/index.ts';
import type { EventPull } from './pull-context.ts';

/** Groups read at a time. */
const BATCH = 500;

/**
 * Returns the provider tags of mirrored events and series by their provider ids, with those of all exceptions of the series.
 * An object of an earlier mapping, and a local-only record, has none: it must be read again when the provider reports it.
 */
export async function mirroredTags(
  pull: Pick<EventPull, 'mirror' | 'key' | 'state' | 'provider'>,
  groupIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { mirror, key, provider } = pull;
  const tags = new Map<string, string>();
  for (let at = 0; at < groupIds.length; at += BATCH) {
    const { revision } = (await mirror.find(key)) ?? pull.state;
    for (const item of await mirror.readGroups(key, groupIds.slice(at, at + BATCH), revision)) {
      const event = storedEvent(item);
      if (item.providerTag === null || item.mappingVersion !== provider.mappingVersion || isLocalOnly(event)) continue;
      tags.set(event.providerEventId, item.providerTag);
    }
  }
  return tags;
}
