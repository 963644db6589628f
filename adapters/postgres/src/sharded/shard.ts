import { createSqlStorage, type SqlDialect, type Tables } from '@kalends/sql';
import { type Clock, type Storage, StorageUnavailableError } from 'kalends/ports';
import { withOutageTimeout } from 'kalends/runtime';
import type { Kysely } from 'kysely';
import { isConnectionLost } from '../failures.ts';
import { connectPostgres, type PostgresOptions } from '../postgres.ts';
import { createFences, type Fences } from './fence.ts';
import type { Run } from './run.ts';

/** Time between two looks whether a database is back. */
const PROBE_EVERY_MS = 500;

/** One database of several. */
export interface Shard {
  readonly name: string;
  /** Whether it holds what belongs to no single account. */
  readonly isHome: boolean;
  readonly storage: Storage;
  readonly fences: Fences;
  /** Runs a statement that only reads. */
  readonly read: Run;
  /** Runs a statement that writes, as a transaction of its own. */
  readonly write: Run;
  /** Runs the work in one transaction, and runs it again when the transaction lost a race or its connection. */
  transaction<Result>(work: (run: Run, now: () => Promise<number>) => Promise<Result>): Promise<Result>;
  /**
   * Runs the work once the database has been opened.
   * @throws StorageUnavailableError when it cannot be reached, also when it never could
   */
  use<Result>(work: (storage: Storage) => Promise<Result>): Promise<Result>;
  /** Runs the work without opening the database. @throws StorageUnavailableError as `use` does */
  peek<Result>(work: (storage: Storage) => Promise<Result>): Promise<Result>;
  /** Whether its latest call failed for want of a connection. It is then asked in the background whether it is back. */
  isAway(): boolean;
  close(): Promise<void>;
}

export interface ShardOptions extends PostgresOptions {
  readonly name: string;
}

/** @param prepare runs after the migrations, before anything else */
export function createShard(
  options: ShardOptions,
  isHome: boolean,
  clock: Clock,
  prepare: (shard: Pick<Shard, 'name' | 'read' | 'write'>) => Promise<void>,
): Shard {
  const { name } = options;
  const { feed, ...parts } = connectPostgres(options);
  const fences = createFences();
  const storage = createSqlStorage({ ...parts, dialect: fences.guard(parts.dialect) });
  const { database, reader, dialect } = parts;
  let opening: Promise<void> | undefined;
  let isAway = false;
  let isProbing = false;
  const closing = new AbortController();

  const read = runner(dialect, reader);
  const write = runner(dialect, database);
  const open = () => {
    opening ??= (async () => {
      await storage.open();
      await prepare({ name, read, write });
    })();
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };
  const noting = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await work();
      isAway = false;
      return result;
    } catch (error) {
      if (!(StorageUnavailableError.isInstance(error) || isConnectionLost(error))) throw error;
      isAway = true;
      throw new StorageUnavailableError(`The database of the shard "${name}" cannot be reached`, error);
    }
  };
  const probe = async () => {
    await noting(() => withOutageTimeout({ limitMs: 0 }, storage.health.reach)).catch(() => undefined);
    await clock.sleep(PROBE_EVERY_MS, closing.signal).catch(() => undefined);
    isProbing = closing.signal.aborted;
  };
  return {
    name,
    isHome,
    storage: { ...storage, open, changes: { subscribe: feed.subscribe } },
    fences,
    read: (text, parameters) => noting(() => read(text, parameters)),
    write: (text, parameters) => noting(() => write(text, parameters)),
    transaction: (work) =>
      noting(() =>
        dialect.transaction(database, (transaction) =>
          work(runner(dialect, transaction), () => dialect.now(transaction)),
        ),
      ),
    use: (work) =>
      noting(async () => {
        await (opening ?? open());
        return await work(storage);
      }),
    peek: (work) => noting(() => work(storage)),
    isAway() {
      if (isAway && !isProbing) {
        isProbing = true;
        void probe();
      }
      return isAway;
    },
    async close() {
      closing.abort(new Error('The storage is closing'));
      await feed.close();
      await storage.close();
    },
  };
}

function runner(dialect: SqlDialect, database: Kysely<Tables>): Run {
  return (text, parameters = []) => dialect.execute(database, text, [...parameters], false);
}
