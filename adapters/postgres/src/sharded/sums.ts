import type { Storage } from 'kalends/ports';
import type { ShardSet } from './shard-set.ts';

/** Removes up to `limit` rows over all shards that can be reached; resolves with their number. */
export async function purgeInTurns(
  shards: ShardSet,
  limit: number,
  purge: (storage: Storage, left: number) => Promise<number>,
): Promise<number> {
  let removed = 0;
  await shards.workInTurns(async (storage) => {
    removed += await purge(storage, limit - removed);
    return removed < limit;
  });
  return removed;
}

/** Returns the earliest of the times that the shards give, null when none gives one. */
export async function earliest(
  shards: ShardSet,
  ask: (storage: Storage) => Promise<number | null>,
): Promise<number | null> {
  return least(await shards.askReachable(ask));
}

/** Returns the least number; null without any. */
export function least(numbers: readonly (number | null)[]): number | null {
  const given = numbers.filter((each) => each !== null);
  return given.length === 0 ? null : Math.min(...given);
}
