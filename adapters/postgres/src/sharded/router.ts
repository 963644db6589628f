import { type Clock, type Storage, StorageUnavailableError } from 'kalends/ports';
import { outageTimeoutReader } from 'kalends/runtime';
import { AccountMovedError } from './fence.ts';
import { type FoundPlace, isSettled, type Places } from './places.ts';
import type { Shard } from './shard.ts';
import type { ShardSet } from './shard-set.ts';

/** How long writes wait for the move of their account, unless the caller has set a timeout for outages. */
const MOVE_WAIT_MS = 10_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;
/** Time after which a write that waits looks whether the move has been left. */
const ABANDONED_AFTER_MS = 1_000;
/** Time for which a database refuses writes to an account that nothing moves, until it counts as lacking it. */
const LACKING_AFTER_MS = 1_000;

type Work<Result> = (storage: Storage, shard: Shard) => Promise<Result>;

/** Runs work where an account is, also while it is being moved. Work on an account that does not exist runs in the home database. */
export interface Router {
  /** Runs work that changes nothing, again if the account was moved meanwhile. */
  read<Result>(accountId: string, work: Work<Result>): Promise<Result>;
  /**
   * Runs work whose changes are all made in transactions. They wait for a move, and happen in one database only.
   * @throws StorageUnavailableError when the move takes too long, or the database named by the list does not have the account open
   */
  write<Result>(accountId: string, work: Work<Result>): Promise<Result>;
  /**
   * Runs work that changes rows by single statements, which find none where the account is no longer. It must be harmless when
   * it runs twice. Resolves with the first result that is not negative.
   */
  change<Result>(accountId: string, work: Work<Result>): Promise<Result>;
  /** Returns the shard of an account, for work that takes many accounts at once; the home for one that does not exist. */
  shardOf(accountId: string): Promise<{ readonly shard: Shard; readonly found: FoundPlace }>;
  /** Whether the account is still where it was found. */
  isStill(accountId: string, found: FoundPlace): Promise<boolean>;
}

export interface RouterOptions {
  readonly shards: ShardSet;
  readonly places: Places;
  readonly clock: Clock;
  /** Finishes a move whose process has died; without effect on others. */
  readonly recover: (accountId: string) => Promise<void>;
}

export function createRouter({ shards, places, clock, recover }: RouterOptions): Router {
  const timeoutOfCaller = outageTimeoutReader();
  const shardAt = ({ place }: FoundPlace) => (place === undefined ? shards.home : shards.named(place.shard));
  const at = <Result>(shard: Shard, work: Work<Result>) => shard.use((storage) => work(storage, shard));
  /** Reads the place again if it may have changed since; undefined if the account is where it was. */
  const changed = async (accountId: string, found: FoundPlace): Promise<FoundPlace | undefined> => {
    if (found.place === undefined || places.isCertain(found)) return undefined;
    const now = await places.read(accountId);
    return now.place?.shard === found.place.shard && now.place.epoch === found.place.epoch ? undefined : now;
  };

  return {
    async read(accountId, work) {
      let found = await places.find(accountId);
      for (;;) {
        const outcome = await settled(at(shardAt(found), work));
        const now = await changed(accountId, found);
        if (now === undefined) return outcome();
        found = now;
      }
    },
    async write(accountId, work) {
      const begunAt = clock.now();
      /** Since when the account has been refused where it is to stay. */
      let lacking: { readonly epoch: number; readonly since: number } | undefined;
      for (let attempt = 0; ; attempt += 1) {
        const found = await places.find(accountId);
        const shard = shardAt(found);
        const { place } = found;
        if (place === undefined) return await at(shard, work);
        try {
          return await at(shard, (storage) =>
            shard.fences.within({ accountId, shard: shard.name }, () => work(storage, shard)),
          );
        } catch (error) {
          if (!(error instanceof AccountMovedError)) throw error;
          places.forget(accountId);
          const now = clock.now();
          if (!isSettled(place)) lacking = undefined;
          else if (lacking?.epoch !== place.epoch) lacking = { epoch: place.epoch, since: now };
          else if (now - lacking.since > LACKING_AFTER_MS) throw lacks(shard, error);
          const waitedMs = now - begunAt;
          const { limitMs, signal } = timeoutOfCaller() ?? { limitMs: MOVE_WAIT_MS };
          if (waitedMs > Math.max(limitMs, MOVE_WAIT_MS)) {
            throw new StorageUnavailableError('The account is being moved to another database', error);
          }
          if (waitedMs > ABANDONED_AFTER_MS) await recover(accountId);
          await clock.sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * (attempt + 1)), signal);
        }
      }
    },
    async change(accountId, work) {
      let found = await places.find(accountId);
      let first: unknown;
      for (;;) {
        const outcome = await settled(at(shardAt(found), work));
        const now = await changed(accountId, found);
        if (now === undefined) {
          const result = outcome();
          return isNegative(result) && !isNegative(first) ? (first as typeof result) : result;
        }
        first = await Promise.resolve()
          .then(outcome)
          .catch(() => undefined);
        found = now;
      }
    },
    async shardOf(accountId) {
      const found = await places.find(accountId);
      return { shard: shardAt(found), found };
    },
    isStill: async (accountId, found) => (await changed(accountId, found)) === undefined,
  };
}

/** After a restore of one database alone the list may name another than the account's. */
function lacks({ name }: Shard, cause: AccountMovedError): StorageUnavailableError {
  return new StorageUnavailableError(
    `The database of the shard "${name}" does not have the account open, as after a restore of one database alone; upkeep looks for it in the others within two hours`,
    cause,
  );
}

const isNegative = (result: unknown) => result === undefined || result === false;

/** Waits for the end, good or bad, and returns a function that returns or throws it. */
async function settled<Result>(running: Promise<Result>): Promise<() => Result> {
  const [end] = await Promise.allSettled([running]);
  return () => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  };
}
