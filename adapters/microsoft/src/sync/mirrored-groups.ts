import type { PullKnowledge } from 'kalends/ports';
import type { TouchedObject } from './delta-round.ts';

/**
 * Returns the events and series that the mirror has in the versions of the round, so that they need not be read again: each
 * single event, master and exception that the round names has the mirrored tag. Plain occurrences have changed with their
 * master alone, so a series with some is mirrored only if the round names its master too.
 */
export async function mirroredGroups(
  objects: readonly TouchedObject[],
  known: Pick<PullKnowledge, 'tagsOf'> | undefined,
): Promise<ReadonlySet<string>> {
  if (known === undefined || objects.length === 0) return new Set();
  const mirrored = new Set(objects.map(({ groupId }) => groupId));
  const tags = await known.tagsOf([...mirrored]);
  const ids = new Set(objects.map(({ id }) => id));
  for (const { id, groupId, isPlain, tag } of objects) {
    const isSame = isPlain ? ids.has(groupId) : tag !== undefined && tags.get(id) === tag;
    if (!isSame) mirrored.delete(groupId);
  }
  return mirrored;
}
