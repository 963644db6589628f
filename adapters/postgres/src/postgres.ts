import { createSqlStorage, type Tables } from '@kalends/sql';
import { type Clock, KalendsError, type Logger, type Storage } from 'kalends/ports';
import { systemClock, systemRandom } from 'kalends/runtime';
import { type Driver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { createChangeFeed } from './change-feed.ts';
import { createConnections } from './connections.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { ReadingDriver, WritingDriver } from './postgres-driver.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with what else the `pg` package takes. This or `pool`. */
  readonly connectionString?: string;
  /** A pool of the host's, of the `pg` package. It is not ended by `close`. */
  readonly pool?: pg.Pool;
  /** Connections of our own pool at most. @default 10 */
  readonly maxConnections?: number;
  /**
   * Where to LISTEN for work that other processes make due, by a session of its own: the server's own address where
   * `connectionString` is that of a proxy which pools transactions. `false`: not at all; workers then find others' work
   * by polling, within seconds. @default connectionString; false with a pool
   */
  readonly listen?: string | false;
  /**
   * How long requests, and other calls that have not said how patient they are, wait for a server that is away, in
   * milliseconds from the beginning of its outage. Background work waits for half a minute. @default 5000
   */
  readonly outagePatienceMs?: number;
  /**
   * How long the answer to one statement is waited for, in milliseconds: then the server counts as gone, as after a
   * fail-over that nobody told the network of. Not for migrations, which take what they take. @default 30000
   */
  readonly statementTimeoutMs?: number;
  /** Told when the server goes and when it comes back. @default silent */
  readonly logger?: Logger;
  /** Decides about leases and due work; for tests. @default the database's clock */
  readonly clock?: Clock;
}

const DEFAULT_CONNECTIONS = 10;
const DEFAULT_PATIENCE_MS = 5_000;
const DEFAULT_STATEMENT_MS = 30_000;
/** Timers that are set for longer strike at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Of a connection without traffic, after which the network asks whether the other side is still there. */
const KEEP_ALIVE_MS = 10_000;
const CONNECT_MS = 5_000;
const QUEUE_MS = 10_000;
const silent = () => undefined;
const SILENT: Logger = { debug: silent, info: silent, warn: silent, error: silent };

/**
 * A storage in a PostgreSQL database (14 or later) for any number of processes. Restarts and fail-overs of the server are
 * waited out, for seconds: reads are repeated, and so are transactions that were not committed; what became of a commit whose
 * answer was lost is read from a mark that it leaves. Nothing is connected before `open()`. Methods throw
 * StorageUnavailableError when an outage outlasts the patience of the caller.
 * @throws KalendsError InvalidRequest without an address, or with two
 * @example
 * const storage = postgres({ connectionString: 'postgres://kalends@localhost/kalends' });
 * await storage.open();
 */
export function postgres(options: PostgresOptions): Storage {
  const { connectionString, clock, logger = SILENT } = options;
  const { outagePatienceMs = DEFAULT_PATIENCE_MS, statementTimeoutMs = DEFAULT_STATEMENT_MS } = options;
  checkOptions(options);
  const pool = options.pool ?? ownPool(options);
  const connections = createConnections({
    pool,
    isOwned: options.pool === undefined,
    outagePatienceMs,
    statementTimeoutMs,
    clock: systemClock,
    random: systemRandom,
    logger,
  });
  const connect = (driver: Driver) =>
    new Kysely<Tables>({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => driver,
        createIntrospector: (database) => new PostgresIntrospector(database),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    });
  const feed = createChangeFeed({
    connectionString: options.listen === false ? undefined : (options.listen ?? connectionString),
    send: async (channel, payload) => {
      await pool.query('select pg_notify($1, $2)', [channel, payload]);
    },
    clock: systemClock,
    random: systemRandom,
    logger,
  });
  const storage = createSqlStorage({
    database: connect(new WritingDriver(connections, systemRandom)),
    reader: connect(new ReadingDriver(connections, logger)),
    dialect: postgresDialect(connections, clock, feed.announce),
  });
  return {
    ...storage,
    changes: { subscribe: feed.subscribe },
    async close() {
      await feed.close();
      await storage.close();
    },
  };
}

function ownPool({ connectionString, maxConnections = DEFAULT_CONNECTIONS }: PostgresOptions): pg.Pool {
  // Later than the definitions of its types.
  const pipeline = { pipeline: true };
  return new pg.Pool({
    connectionString,
    max: maxConnections,
    application_name: 'kalends',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    Client,
    connectionTimeoutMillis: QUEUE_MS,
    ...pipeline,
  });
}

/** A client that gives up early where nothing answers. The pool knows but one limit, also for waiting until others are done. */
class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS });
  }
}

function checkOptions(options: PostgresOptions): void {
  const { connectionString, pool, maxConnections, outagePatienceMs, statementTimeoutMs } = options;
  if ((connectionString === undefined || connectionString === '') === (pool === undefined)) {
    throw invalid('connectionString', 'must be given, or else a pool');
  }
  if (maxConnections !== undefined && !(Number.isInteger(maxConnections) && maxConnections >= 1)) {
    throw invalid('maxConnections', 'must be a whole number from 1');
  }
  if (outagePatienceMs !== undefined && !(outagePatienceMs >= 0)) {
    throw invalid('outagePatienceMs', 'must be a number from 0');
  }
  if (statementTimeoutMs !== undefined && !(statementTimeoutMs >= 1 && statementTimeoutMs <= LONGEST_TIMER_MS)) {
    throw invalid('statementTimeoutMs', `must be a number from 1 to ${LONGEST_TIMER_MS}`);
  }
}

function invalid(path: string, message: string): KalendsError {
  return new KalendsError('InvalidRequest', `${path}: ${message}`, { details: [{ path, message }] });
}
