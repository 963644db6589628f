import { createSqlStorage, type Tables } from '@kalends/sql';
import { type Clock, KalendsError, type Storage } from 'kalends/ports';
import { createOutageMemory, systemClock } from 'kalends/runtime';
import { Kysely } from 'kysely';
import { kyselyDialect } from './kysely-dialect.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

export interface SqliteOptions {
  /** A file, created when there is none, or `:memory:`. */
  readonly path: string;
  /** Decides about leases and due work. @default the system clock */
  readonly clock?: Clock;
}

const PRAGMAS = ['busy_timeout = 0', 'foreign_keys = on', 'synchronous = full'];
const FILE_PRAGMAS = [...PRAGMAS, 'journal_mode = wal', 'cache_size = -16000'];

/**
 * A storage in a SQLite file, or in memory for as long as it is open. Several processes may open one file: their
 * transactions take turns, and waiting for a turn does not block the event loop. Commits are durable when they resolve.
 * Nothing is opened before `open()`.
 * @throws KalendsError InvalidRequest for an empty path
 * @example
 * const storage = sqlite({ path: './kalends.db' });
 * await storage.open();
 */
export function sqlite({ path, clock = systemClock }: SqliteOptions): Storage {
  if (path === '') {
    const message = 'must name a file, or be :memory:';
    throw new KalendsError('InvalidRequest', `path: ${message}`, { details: [{ path: 'path', message }] });
  }
  const outages = createOutageMemory(systemClock);
  const dialect = sqliteDialect(clock, outages);
  const connect = (pragmas: readonly string[], isExclusive: boolean) =>
    new Kysely<Tables>({
      dialect: kyselyDialect({ path, pragmas, isExclusive, ...(isExclusive ? { outages } : {}) }),
    });
  if (path === ':memory:') return createSqlStorage({ database: connect(PRAGMAS, true), dialect });
  return createSqlStorage({
    database: connect(FILE_PRAGMAS, true),
    // A second connection sees committed data only, and never waits for a transaction of the first.
    reader: connect([...FILE_PRAGMAS, 'query_only = on'], false),
    dialect,
  });
}
