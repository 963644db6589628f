import type { HoldStore, SeenCalendar } from 'kalends/ports';
import type { ShardedContext } from './context.ts';

/**
 * Stores holds in the home database. One is taken there before the mirrors of its accounts are compared with what was seen, and
 * removed again when one has moved: a commit behind the comparison comes behind the hold.
 */
export function shardedHolds({ shards, router }: ShardedContext): HoldStore {
  const { home } = shards;
  const { holds } = home.storage;

  const hasMoved = async (applicationId: string, seen: readonly SeenCalendar[]): Promise<boolean> => {
    const same = await Promise.all(
      seen.map(async ({ accountId, calendarId, revision }) => {
        const key = { applicationId, accountId, calendarId };
        const state = await router.read(accountId, ({ mirror }) => mirror.find(key));
        return state?.revision === revision;
      }),
    );
    return same.includes(false);
  };
  const isAllHome = async (seen: readonly SeenCalendar[]) => {
    const places = await Promise.all(seen.map(({ accountId }) => router.shardOf(accountId)));
    return places.every(({ shard }) => shard.isHome);
  };

  return {
    ...holds,
    async take(hold, input) {
      if (await isAllHome(input.seen)) return await holds.take(hold, input);
      const taken = await holds.take(hold, { ...input, seen: [] });
      if (taken.kind !== 'taken') return taken;
      let isKept = false;
      try {
        isKept = !(await hasMoved(hold.applicationId, input.seen));
      } finally {
        if (!isKept) await holds.remove(hold.applicationId, hold.id, { state: 'held', epoch: 0 });
      }
      return isKept ? taken : { kind: 'moved' };
    },
  };
}
