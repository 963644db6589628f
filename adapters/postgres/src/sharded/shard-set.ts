import { type Storage, StorageUnavailableError } from 'kalends/ports';
import { withOutageTimeout } from 'kalends/runtime';
import type { Shard } from './shard.ts';

/** All databases of a deployment. */
export interface ShardSet {
  readonly home: Shard;
  /** The home first, then in the order of the options. */
  readonly all: readonly Shard[];
  /** @throws StorageUnavailableError when the options have no shard of that name: it was added for other processes */
  named(name: string): Shard;
  /** Asks all of them at once. @throws StorageUnavailableError when one of them is away */
  askAll<Result>(ask: (storage: Storage, shard: Shard) => Promise<Result>): Promise<readonly Result[]>;
  /** Asks those that can be reached, at once. The home is one of them, or this throws. */
  askReachable<Result>(ask: (storage: Storage, shard: Shard) => Promise<Result>): Promise<readonly Result[]>;
  /** Asks those that can be reached, at once, and opens none. */
  peekReachable<Result>(ask: (storage: Storage) => Promise<Result>): Promise<readonly Result[]>;
  /**
   * Asks one after the other, until `ask` returns false, each time beginning with another one. Those that cannot be reached are
   * passed over, except the home.
   */
  inTurns(ask: (storage: Storage, shard: Shard) => Promise<boolean>): Promise<void>;
}

export function createShardSet(all: readonly Shard[]): ShardSet {
  const [home] = all;
  if (home === undefined) throw new Error('There must be at least one shard');
  const byName = new Map(all.map((shard) => [shard.name, shard]));
  let turn = 0;

  /** Undefined for a shard that cannot be reached. */
  const unlessAway = async <Result>(
    shard: Shard,
    ask: () => Promise<Result>,
  ): Promise<{ readonly answer: Result } | undefined> => {
    if (shard.isHome) return { answer: await ask() };
    if (shard.isAway()) return undefined;
    try {
      return { answer: await withOutageTimeout({ limitMs: 0 }, ask) };
    } catch (error) {
      if (!StorageUnavailableError.isInstance(error)) throw error;
      return undefined;
    }
  };
  const reached = <Result>(shard: Shard, ask: (storage: Storage, shard: Shard) => Promise<Result>) =>
    unlessAway(shard, () => shard.use((storage) => ask(storage, shard)));

  return {
    home,
    all,
    named(name) {
      const shard = byName.get(name);
      if (shard === undefined) throw new StorageUnavailableError(`This process has no shard "${name}"`, undefined);
      return shard;
    },
    askAll: (ask) => Promise.all(all.map((shard) => shard.use((storage) => ask(storage, shard)))),
    async askReachable(ask) {
      const answers = await Promise.all(all.map((shard) => reached(shard, ask)));
      return answers.flatMap((each) => (each === undefined ? [] : [each.answer]));
    },
    async peekReachable(ask) {
      const answers = await Promise.all(all.map((shard) => unlessAway(shard, () => shard.peek(ask))));
      return answers.flatMap((each) => (each === undefined ? [] : [each.answer]));
    },
    async inTurns(ask) {
      const first = turn;
      turn = (turn + 1) % all.length;
      for (let index = 0; index < all.length; index += 1) {
        const shard = all[(first + index) % all.length];
        if (shard === undefined) continue;
        const goesOn = await reached(shard, ask);
        if (goesOn?.answer === false) return;
      }
    },
  };
}
