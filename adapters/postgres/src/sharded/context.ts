import type { KnownIds } from './known-ids.ts';
import type { Places } from './places.ts';
import type { Router } from './router.ts';
import type { ShardSet } from './shard-set.ts';

/** Parts that the stores over several databases share. */
export interface ShardedContext {
  readonly shards: ShardSet;
  readonly places: Places;
  readonly router: Router;
  /** Accounts of subscriptions and endpoints, by their ids. */
  readonly targets: KnownIds;
  readonly intents: KnownIds;
  readonly channels: KnownIds;
}
