import { createSqlStorage, type SqlDialect, type Tables } from '@kalends/sql';
import { type Clock, type Storage, StorageUnavailableError } from 'kalends/ports';
import { DeadlineError, describeError, monotonicClock, withDeadline, withOutageTimeout } from 'kalends/runtime';
import type { Kysely } from 'kysely';
import { isConnectionLost, isOutOfSpace, isServerFault } from '../failures.ts';
import type { PostgresOptions } from '../options.ts';
import { connectPostgres } from '../postgres.ts';
import { createFences, type Fences } from './fence.ts';
import type { Run } from './run.ts';
import { claimName } from './shard-names.ts';

/** Time between two looks whether a database is back. */
const PROBE_EVERY_MS = 500;
/** Time limit of what other databases' work would wait for. Real time: it passes in the server, whatever clock the caller has. */
const ANSWER_MS = 2_000;

/** One database of several. */
export interface Shard {
  readonly name: string;
  /** Name of the database in messages about it: its kind, and its name. */
  readonly label: string;
  /** Its address without credentials; null of one that is given as a pool. */
  readonly address: string | null;
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
  /**
   * Runs short work and waits two seconds at most. Work that has not ended by then goes on: the shard counts as away until it
   * ends, and `late` gets its result.
   * @throws StorageUnavailableError when it does not end in time
   */
  inTime<Result>(work: () => Promise<Result>, late?: (result: Result) => void): Promise<Result>;
  /**
   * Whether its latest call failed for want of a connection, or a call of `inTime` is overdue. In the first case it is asked in the
   * background whether it is back.
   */
  isAway(): boolean;
  close(): Promise<void>;
}

export interface ShardOptions extends PostgresOptions {
  readonly name: string;
}

export function createShard(options: ShardOptions, isHome: boolean, clock: Clock): Shard {
  const { name, logger } = options;
  const label = `${isHome ? 'home' : 'shard'}:${name}`;
  const address = addressOf(options);
  const { feed, requireUsable, ...parts } = connectPostgres(options);
  const fences = createFences();
  const storage = createSqlStorage({ ...parts, dialect: fences.guard(parts.dialect) });
  const { database, reader, dialect } = parts;
  let opening: Promise<void> | undefined;
  let isAway = false;
  let overdue = 0;
  let isProbing = false;
  const closing = new AbortController();

  const read = runner(dialect, reader);
  const write = runner(dialect, database);
  const open = () => {
    opening ??= (async () => {
      await requireUsable();
      await storage.open();
      await claimName(label, read, write);
    })().catch((error: unknown) => {
      if (StorageUnavailableError.isInstance(error) || isConnectionLost(error)) throw error;
      // A start opens several: the message has to say which one it is about.
      throw Object.assign(error as Error, { message: `${where}: ${(error as Error).message}` });
    });
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };
  const where = address === null ? `shard "${name}"` : `shard "${name}" at ${address}`;
  const unavailable = (how: string, cause: unknown) =>
    new StorageUnavailableError(
      `The database of the shard "${name}" ${how}${address === null ? '' : ` (${address})`}`,
      cause,
      name,
    );
  const noting = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await work();
      isAway = false;
      return result;
    } catch (error) {
      // The fault of another server, as a full disk, must not end work that goes round all of them.
      const isLost = StorageUnavailableError.isInstance(error) || isConnectionLost(error);
      if (!isLost && (isHome || !isServerFault(error))) throw error;
      isAway = true;
      const isOutage = isLost && !(error instanceof Error && isOutOfSpace(error.cause));
      throw unavailable(isOutage ? 'cannot be reached' : `fails: ${describeError(error)}`, error);
    }
  };
  const probe = async () => {
    await noting(() => withOutageTimeout({ limitMs: 0 }, storage.health.reach)).catch(() => undefined);
    await clock.sleep(PROBE_EVERY_MS, closing.signal).catch(() => undefined);
    isProbing = closing.signal.aborted;
  };
  return {
    name,
    label,
    address,
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
    async inTime(work, late) {
      const running = work();
      try {
        return await withDeadline(monotonicClock, ANSWER_MS, () => running);
      } catch (error) {
        if (!(error instanceof DeadlineError)) throw error;
        overdue += 1;
        if (overdue === 1 && !isAway) logger?.warn('a database of a shard does not answer', { shard: name, address });
        running
          .then(late, () => undefined)
          .finally(() => {
            overdue -= 1;
            if (overdue === 0 && !isAway) logger?.info('the database of a shard answers', { shard: name, address });
          });
        throw unavailable('does not answer', error);
      }
    },
    isAway() {
      if (isAway && !isProbing) {
        isProbing = true;
        void probe();
      }
      return isAway || overdue > 0;
    },
    async close() {
      closing.abort(new Error('The storage is closing'));
      await feed.close();
      await storage.close();
    },
  };
}

/** Returns the address of a database without credentials and parameters, for messages. */
function addressOf({ connectionString }: ShardOptions): string | null {
  if (connectionString === undefined || !URL.canParse(connectionString)) return null;
  const { protocol, host, pathname } = new URL(connectionString);
  return `${protocol}//${host}${pathname}`;
}

function runner(dialect: SqlDialect, database: Kysely<Tables>): Run {
  return (text, parameters = []) => dialect.execute(database, text, [...parameters], false);
}
