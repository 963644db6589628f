import type { AccountRow, Clock } from 'kalends/ports';
import type { Places } from './places.ts';
import type { ShardSet } from './shard-set.ts';

/** How long counts of accounts are used before they are read again. */
const COUNTS_KEPT_MS = 60_000;

/** Returns the name of the shard for a new account. @param refused those that could not take it */
export type ChooseShard = (account: AccountRow, refused: ReadonlySet<string>) => Promise<string>;

export interface PlacementOptions {
  readonly shards: ShardSet;
  readonly places: Places;
  readonly clock: Clock;
  /** Names of the shards that take new accounts. */
  readonly open: readonly string[];
  /** Decides instead. */
  readonly place?: ((account: AccountRow) => string) | undefined;
}

/** Places new accounts in the shard with the fewest; those that cannot be reached are passed over while another can. */
export function createPlacement({ shards, places, clock, open, place }: PlacementOptions): ChooseShard {
  let counts: ReadonlyMap<string, number> = new Map();
  const added = new Map<string, number>();
  let readAt = Number.NEGATIVE_INFINITY;
  return async (account, refused) => {
    if (place !== undefined) return shards.named(place(account)).name;
    if (clock.now() - readAt > COUNTS_KEPT_MS) {
      readAt = clock.now();
      counts = await places.count();
      added.clear();
    }
    const reachable = open.filter((name) => !refused.has(name) && !shards.named(name).isAway());
    const candidates = reachable.length === 0 ? open : reachable;
    const filled = (name: string) => (counts.get(name) ?? 0) + (added.get(name) ?? 0);
    const chosen = candidates.reduce((least, name) => (filled(name) < filled(least) ? name : least));
    added.set(chosen, (added.get(chosen) ?? 0) + 1);
    return chosen;
  };
}
