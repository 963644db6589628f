import type { Tables } from '@kalends/sql';
import { type Clock, type Logger, StorageUnavailableError } from 'kalends/ports';
import { systemClock } from 'kalends/runtime';
import { type Kysely, sql } from 'kysely';
import { checkPages } from './page-check.ts';
import { fileFailureOf } from './result-code.ts';

/** Delay of the page check: commands close the database before it and need none. */
const CHECK_AFTER_MS = 2_000;
/** Least time between trial writes: each costs one page and one sync of the disk. */
const TRIAL_EVERY_MS = 1_000;
/** Timeout of a trial: one behind a long transaction must not delay the health report. */
const TRIAL_TIMEOUT_MS = 500;

/** Watches the files of a database for failures. */
export interface FileWatch {
  /**
   * Runs a statement and remembers a failure of the files.
   * @throws StorageUnavailableError when the disk is full or refuses; else what the driver threw
   */
  run<Result>(statement: () => Result): Result;
  /** Remembers that another process has held the database for longer than a caller waits. Returns that caller's error. */
  locked(error: unknown): StorageUnavailableError;
  /** Whether the last failure said that the database cannot be written, and nothing has been written since. */
  readonly isUnusable: boolean;
  /** Forgets that failure: something has been written. */
  written(): void;
  /** Describes what an operator has to repair, null when there is nothing. Tries to write, at most once a second. */
  fault(database: Kysely<Tables>): Promise<string | null>;
  /** Starts the check of the file's pages, in a child process. */
  start(): void;
  /** Ends the check. Idempotent. */
  stop(): Promise<void>;
}

export function createFileWatch(path: string, clock: Clock, logger: Logger): FileWatch {
  const stopping = new AbortController();
  let checking: Promise<void> | undefined;
  let unusable: string | undefined;
  let damage: string | undefined;
  let trial: Promise<void> | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;

  const noteUnusable = (reason: string, remedy: string): void => {
    if (unusable === undefined) logger.error('the database cannot be written', { error: reason });
    unusable = `the database cannot be written (${reason}); ${remedy}`;
  };

  const noteWritten = (): void => {
    const wasUnusable = unusable !== undefined;
    unusable = undefined;
    if (wasUnusable) logger.info('the database can be written again');
  };

  const noteDamage = (found: string): void => {
    if (damage === undefined) logger.error('the database file is damaged', { error: found });
    damage ??= found;
  };

  const tryToWrite = async (database: Kysely<Tables>): Promise<void> => {
    try {
      // It goes on behind the report: ordinary transactions of other processes are no fault.
      await database.transaction().execute(async (transaction) => {
        const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(transaction);
        // The same value: SQLite writes the page all the same, and the number may be the host's.
        for (const { user_version } of rows) {
          await sql.raw(`pragma user_version = ${user_version}`).execute(transaction);
        }
      });
    } catch (error) {
      // `run` and `locked` have noted it.
      if (fileFailureOf(error) === undefined && !StorageUnavailableError.isInstance(error)) throw error;
      return;
    }
    noteWritten();
  };

  return {
    run(statement) {
      try {
        return statement();
      } catch (error) {
        const failure = fileFailureOf(error);
        const reason = error instanceof Error ? error.message : String(error);
        if (failure === 'damaged') noteDamage(reason);
        if (failure !== 'unusable') throw error;
        noteUnusable(reason, 'is the disk full?');
        throw new StorageUnavailableError(`The database file ${path} cannot be used: ${reason}`, error);
      }
    },
    locked(error) {
      noteUnusable('another process keeps it locked', 'end the transaction of that process');
      return new StorageUnavailableError('Another process keeps the database file locked', error);
    },
    get isUnusable() {
      return unusable !== undefined;
    },
    written: noteWritten,
    async fault(database) {
      if (trial === undefined && clock.now() - triedAt >= TRIAL_EVERY_MS) {
        triedAt = clock.now();
        trial = tryToWrite(database).finally(() => {
          trial = undefined;
        });
      }
      if (trial !== undefined) await inTime(trial);
      if (damage !== undefined) {
        return `the database file is damaged (${damage}): stop all processes and restore a backup; if there is none, sqlite3 ${path} ".recover" | sqlite3 mended.db`;
      }
      return unusable ?? null;
    },
    start() {
      checking ??= (async () => {
        await systemClock.sleep(CHECK_AFTER_MS, stopping.signal);
        const found = await checkPages(path, stopping.signal);
        for (const line of found) noteDamage(line);
      })().catch((error: unknown) => {
        if (stopping.signal.aborted) return;
        logger.warn('the pages of the database could not be checked', {
          error: error instanceof Error ? error.message : String(error),
        });
      });
    },
    async stop() {
      stopping.abort(new Error('The database is being closed.'));
      await Promise.allSettled([checking, trial]);
    },
  };
}

async function inTime(work: Promise<void>): Promise<void> {
  const waiting = new AbortController();
  const late = systemClock.sleep(TRIAL_TIMEOUT_MS, waiting.signal).catch(() => undefined);
  try {
    await Promise.race([work, late]);
  } finally {
    waiting.abort();
    // It may reject after the timeout, when `fault` has returned.
    work.catch(() => undefined);
  }
}
