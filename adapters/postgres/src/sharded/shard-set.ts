import { type Storage, StorageUnavailableError } from 'kalends/ports';
import { withOutageTimeout } from 'kalends/runtime';
import type { Shard } from './shard.ts';

type Ask<Result> = (storage: Storage, shard: Shard) => Promise<Result>;

/** All databases of a deployment. */
export interface ShardSet {
  readonly home: Shard;
  /** The home first, then in the order of the options. */
  readonly all: readonly Shard[];
  /** @throws StorageUnavailableError when the options have no shard of that name: it was added for other processes */
  named(name: string): Shard;
  has(name: string): boolean;
  /** Asks all of them at once. @throws StorageUnavailableError naming one that does not answer in time */
  askAll<Result>(ask: Ask<Result>): Promise<readonly Result[]>;
  /** Asks those that answer in time, at once. The home is one of them, or this throws. */
  askReachable<Result>(ask: Ask<Result>): Promise<readonly Result[]>;
  /** Asks those that answer in time, at once, and opens none. The answer of one that does not is undefined. */
  peekReachable<Result>(ask: Ask<Result>): Promise<readonly (Result | undefined)[]>;
  /** Does work that takes long in those that can be reached, at once: they must answer in time, but may work for longer. */
  workInReachable<Result>(work: Ask<Result>): Promise<readonly Result[]>;
  /** Does such work in one after the other, until `work` returns false, each time beginning with another one. */
  workInTurns(work: Ask<boolean>): Promise<void>;
  /** The shards, each time beginning with another one. */
  rotated(): readonly Shard[];
  /**
   * Asks one, within the time limit of shards other than the home; undefined when it is away.
   * @param late gets an answer that comes too late
   */
  askInTime<Result>(
    shard: Shard,
    ask: Ask<Result>,
    late?: (answer: Result) => void,
  ): Promise<{ readonly answer: Result } | undefined>;
}

export function createShardSet(all: readonly Shard[]): ShardSet {
  const [home, ...others] = all;
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
  const limited = <Result>(shard: Shard, ask: () => Promise<Result>, late?: (answer: Result) => void) =>
    unlessAway(shard, () => (shard.isHome ? ask() : shard.inTime(ask, late)));
  const askInTime: ShardSet['askInTime'] = (shard, ask, late) =>
    limited(shard, () => shard.use((storage) => ask(storage, shard)), late);
  const workIn = async <Result>(shard: Shard, work: Ask<Result>) => {
    const answered = await limited(shard, () => shard.peek(({ health }) => health.reach()));
    return answered && (await unlessAway(shard, () => shard.use((storage) => work(storage, shard))));
  };
  const rotated = () => {
    const first = turn;
    turn = (turn + 1) % all.length;
    return [...all.slice(first), ...all.slice(0, first)];
  };

  return {
    home,
    all,
    named(name) {
      const shard = byName.get(name);
      if (shard === undefined) throw new StorageUnavailableError(`This process has no shard "${name}"`, undefined);
      return shard;
    },
    has: (name) => byName.has(name),
    async askAll(ask) {
      // Before the work, which may take long and would be thrown away.
      await withOutageTimeout({ limitMs: 0 }, () =>
        Promise.all(others.map((shard) => shard.inTime(() => shard.peek(({ health }) => health.reach())))),
      ).catch((error: unknown) => {
        if (!StorageUnavailableError.isInstance(error)) throw error;
        throw new StorageUnavailableError(`This needs every database. ${error.message}`, error, error.database);
      });
      return await Promise.all(all.map((shard) => shard.use((storage) => ask(storage, shard))));
    },
    async askReachable(ask) {
      return answersOf(await Promise.all(all.map((shard) => askInTime(shard, ask))));
    },
    async peekReachable(ask) {
      const answers = await Promise.all(
        all.map((shard) => limited(shard, () => shard.peek((storage) => ask(storage, shard)))),
      );
      return answers.map((each) => each?.answer);
    },
    async workInReachable(work) {
      return answersOf(await Promise.all(all.map((shard) => workIn(shard, work))));
    },
    async workInTurns(work) {
      for (const shard of rotated()) {
        const goesOn = await workIn(shard, work);
        if (goesOn?.answer === false) return;
      }
    },
    rotated,
    askInTime,
  };
}

function answersOf<Result>(answers: readonly ({ readonly answer: Result } | undefined)[]): readonly Result[] {
  return answers.flatMap((each) => (each === undefined ? [] : [each.answer]));
}
