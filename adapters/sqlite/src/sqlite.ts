import { createSqlStorage, createTableNames, type Tables } from '@kalends/sql';
import { type Clock, KalendsError, type Logger, type Storage } from 'kalends/ports';
import { checkNames, checkProcessPorts, createOutageMemory, steadyLogger, systemClock } from 'kalends/runtime';
import { Kysely } from 'kysely';
import { LIMIT_MS, LONGEST_MS } from './busy.ts';
import { diagnoseFile, reachFile } from './diagnose-file.ts';
import { createFileWatch } from './file-watch.ts';
import { kyselyDialect } from './kysely-dialect.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

export interface SqliteOptions {
  /** A file, created when there is none, or `:memory:`. */
  readonly path: string;
  /** Decides about leases and due work. @default the system clock */
  readonly clock?: Clock;
  /** Gets a line when the file cannot be written, when it can again, and when its pages are damaged. @default silent */
  readonly logger?: Logger;
  /** Beginning of the names of tables and indexes, for a file that holds other tables too. @default kalends_ */
  readonly prefix?: string;
}

const NAMES = ['path', 'clock', 'logger', 'prefix'] satisfies (keyof SqliteOptions)[];

const silent = () => undefined;
const SILENT: Logger = { debug: silent, info: silent, warn: silent, error: silent };

/** secure_delete overwrites removed rows, whose texts would stay in free pages of the file. */
const PRAGMAS = ['busy_timeout = 0', 'foreign_keys = on', 'synchronous = full', 'secure_delete = on'];
const FILE_PRAGMAS = [...PRAGMAS, 'journal_mode = wal', 'cache_size = -16000'];

/**
 * Creates a storage in a SQLite file, or in memory for as long as it is open. Several processes may open one file: their
 * transactions take turns, and waiting for a turn does not block the event loop. Commits are durable when they resolve.
 * Nothing is opened before `open()`; soon after it a process of its own checks the pages of the file. Methods throw
 * StorageUnavailableError while the disk is full or refuses, or another process keeps the file locked; reads go on where SQLite can
 * serve them.
 * @throws KalendsError InvalidRequest naming an option that is unknown or wrong
 * @example
 * const storage = sqlite({ path: './kalends.db' });
 * await storage.open();
 */
export function sqlite(options: SqliteOptions): Storage {
  // Without types, the path alone is easily passed.
  const given = typeof options === 'object' && options !== null ? options : { path: '' };
  checkNames(given, NAMES);
  checkProcessPorts({ clock: given.clock, logger: given.logger });
  const { path, clock = systemClock, logger = SILENT, prefix } = given;
  if (typeof path !== 'string' || path === '') {
    const message = 'must name a file, or be :memory:';
    throw new KalendsError('InvalidRequest', `path: ${message}`, { details: [{ path: 'path', message }] });
  }
  const names = createTableNames({ prefix });
  const { inText } = names;
  const outages = createOutageMemory(systemClock);
  if (path === ':memory:') {
    const database = new Kysely<Tables>({
      dialect: kyselyDialect({ path, pragmas: PRAGMAS, isExclusive: true, inText }),
    });
    return createSqlStorage({ database, dialect: sqliteDialect(clock, outages), names });
  }
  const watch = createFileWatch(path, clock, steadyLogger(logger));
  let isOpen = false;
  // Until it is open, another process may be migrating.
  const limitMs = () => (isOpen ? LIMIT_MS : LONGEST_MS);
  const connect = (pragmas: readonly string[], isExclusive: boolean) =>
    new Kysely<Tables>({
      dialect: kyselyDialect({
        path,
        pragmas,
        isExclusive,
        watch,
        inText,
        limitMs,
        ...(isExclusive ? { outages } : {}),
      }),
    });
  const storage = createSqlStorage({
    database: connect(FILE_PRAGMAS, true),
    // A second connection sees committed data only, and never waits for a transaction of the first.
    reader: connect([...FILE_PRAGMAS, 'query_only = on'], false),
    dialect: sqliteDialect(clock, outages, watch.fault),
    names,
  });
  return {
    ...storage,
    health: {
      ...storage.health,
      async reach() {
        // Opening a connection would make the file.
        await reachFile(path);
        await storage.health.reach();
      },
      diagnose: (signal) => diagnoseFile(path, signal),
    },
    async open() {
      await storage.open();
      isOpen = true;
      watch.start();
    },
    async close() {
      await watch.stop();
      await storage.close();
    },
  };
}
