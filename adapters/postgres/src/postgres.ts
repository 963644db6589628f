import { createSqlStorage, createTableNames, type SqlStorageOptions, type Tables } from '@kalends/sql';
import { type Clock, KalendsError, type Logger, type Storage } from 'kalends/ports';
import { steadyLogger, systemClock, systemRandom } from 'kalends/runtime';
import { type Driver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { type ChangeFeed, createChangeFeed } from './change-feed.ts';
import { channelReader } from './channel-name.ts';
import { createConnections } from './connections.ts';
import { encodingProblem } from './diagnose-server.ts';
import { createSockets, type Sockets } from './goodbye.ts';
import { createKeptPlans } from './kept-plans.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { ReadingDriver, WritingDriver } from './postgres-driver.ts';
import type { Run } from './sharded/run.ts';
import { problemAlone } from './sharded/shard-names.ts';

/** A `pg.Pool`, so far described that the types of `pg` need not be installed. */
export interface PostgresPool {
  connect(): Promise<object>;
  query(text: string): Promise<{ rows: object[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<void>;
}

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with what else the `pg` package takes. This or `pool`. */
  readonly connectionString?: string;
  /** The host's pool, of the `pg` package. `close` does not end it. */
  readonly pool?: PostgresPool;
  /**
   * Schema of the tables, created when there is none. @default the first of the connection's search path, mostly `public`
   */
  readonly schema?: string;
  /** Beginning of the names of tables and indexes, for a schema that holds other tables too. @default kalends_ */
  readonly prefix?: string;
  /** Connections of our own pool at most. @default 10 */
  readonly maxConnections?: number;
  /**
   * Address for LISTEN, by a session of its own: the server's address where `connectionString` is that of a proxy which pools
   * transactions. `false`: none; workers then find the work of other processes by polling, within seconds. @default connectionString; false with a pool
   */
  readonly listen?: string | false;
  /**
   * How long requests wait for an unreachable server, in milliseconds from the beginning of its outage. Background work
   * waits for half a minute. @default 5000
   */
  readonly outageTimeoutMs?: number;
  /**
   * Timeout of the answer to one statement, in milliseconds: then the connection counts as lost, as after a fail-over that
   * left it open. Migrations have none. A transaction whose process stands still for a third of it is ended by the server, which
   * frees its rows for other processes. @default 30000
   */
  readonly statementTimeoutMs?: number;
  /** Gets a line when the server is unreachable and when it is back. @default silent */
  readonly logger?: Logger;
  /** Decides about leases and due work; for tests. @default the database's clock */
  readonly clock?: Clock;
}

const DEFAULT_CONNECTIONS = 10;
const DEFAULT_OUTAGE_TIMEOUT_MS = 5_000;
const DEFAULT_STATEMENT_MS = 30_000;
/** Timers that are set for longer fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Idle time of a connection before TCP keep-alive probes the other side. */
const KEEP_ALIVE_MS = 10_000;
const CONNECT_MS = 5_000;
const QUEUE_MS = 10_000;
const silent = () => undefined;
const SILENT: Logger = { debug: silent, info: silent, warn: silent, error: silent };

/**
 * Creates a storage in a PostgreSQL database (14 or later, in UTF8) for any number of processes. During a restart or fail-over of the
 * server methods wait: reads are repeated, and so are transactions that were not committed; a mark in the database tells the
 * outcome of a commit whose answer was lost. Nothing is connected before `open()`. Methods throw StorageUnavailableError when
 * an outage lasts longer than the caller's timeout. A database in another encoding and one of `shardedStorage` whose accounts are in others too are refused by `open`.
 * @throws KalendsError InvalidRequest for wrong options: without an address, or with two
 * @example
 * const storage = postgres({ connectionString: 'postgres://kalends@localhost/kalends' });
 * await storage.open();
 */
export function postgres(options: PostgresOptions): Storage {
  const { feed, requireUsable, ...parts } = connectPostgres(options);
  const storage = createSqlStorage(parts);
  const run: Run = (text, values = []) => parts.dialect.execute(parts.reader, text, [...values], false);
  return {
    ...storage,
    async open() {
      await requireUsable();
      await storage.open();
      const problem = await problemAlone(run);
      if (problem !== undefined) throw new Error(problem);
    },
    health: {
      ...storage.health,
      async diagnose(signal) {
        const findings = await storage.health.diagnose(signal);
        // A database that is not migrated belongs to no other yet.
        const message = await problemAlone(run).catch(() => undefined);
        if (message === undefined) return findings;
        return [
          ...findings,
          { check: 'shards', status: 'failed', message, remedy: 'Set KALENDS_SHARDS as its other processes have it.' },
        ];
      },
    },
    changes: { subscribe: feed.subscribe },
    async close() {
      await feed.close();
      await storage.close();
    },
  };
}

/** The parts of a storage over one database. */
export interface PostgresParts extends Required<SqlStorageOptions> {
  readonly feed: ChangeFeed;
  /** For before the database gets tables. @throws Error for one that cannot hold every text */
  requireUsable(): Promise<void>;
}

/** Prepares everything to use a database, and connects nothing. @throws KalendsError InvalidRequest for wrong options */
export function connectPostgres(options: PostgresOptions): PostgresParts {
  const { connectionString, clock, schema, prefix } = options;
  const { outageTimeoutMs = DEFAULT_OUTAGE_TIMEOUT_MS, statementTimeoutMs = DEFAULT_STATEMENT_MS } = options;
  checkOptions(options);
  const logger = steadyLogger(options.logger ?? SILENT);
  const names = createTableNames({ schema, prefix });
  const sockets = createSockets();
  const pool = (options.pool as pg.Pool | undefined) ?? ownPool(options, sockets);
  const connections = createConnections({
    pool,
    endPool: options.pool === undefined ? () => sockets.end(() => pool.end()) : undefined,
    outageTimeoutMs,
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
  const plans = createKeptPlans(logger);
  const feed = createChangeFeed({
    channel: channelReader(pool, names),
    connectionString: options.listen === false ? undefined : (options.listen ?? connectionString),
    send: async (channel, payload) => {
      await pool.query('select pg_notify($1, $2)', [channel, payload]);
    },
    clock: systemClock,
    random: systemRandom,
    logger,
  });
  const reader = connect(new ReadingDriver(connections, plans, names.inText));
  return {
    database: connect(new WritingDriver(connections, systemRandom, plans, names.inText)),
    reader,
    dialect: postgresDialect(connections, clock, feed.announce, schema),
    names,
    feed,
    async requireUsable() {
      const problem = await encodingProblem(reader);
      if (problem !== undefined) throw new Error(problem);
    },
  };
}

function ownPool(
  { connectionString, maxConnections = DEFAULT_CONNECTIONS }: PostgresOptions,
  sockets: Sockets,
): pg.Pool {
  // Newer than the type definitions.
  const pipeline = { pipeline: true };
  return new pg.Pool({
    connectionString,
    max: maxConnections,
    application_name: 'kalends',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    Client,
    connectionTimeoutMillis: QUEUE_MS,
    stream: sockets.create,
    ...pipeline,
  });
}

/** A client with a short timeout for connecting: the pool's timeout also covers the wait for a free connection. */
class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS });
  }
}

function checkOptions(options: PostgresOptions): void {
  const { connectionString, pool, maxConnections, outageTimeoutMs, statementTimeoutMs } = options;
  if ((connectionString === undefined || connectionString === '') === (pool === undefined)) {
    throw invalid('connectionString', 'must be given, or else a pool');
  }
  if (maxConnections !== undefined && !(Number.isInteger(maxConnections) && maxConnections >= 1)) {
    throw invalid('maxConnections', 'must be a whole number from 1');
  }
  if (outageTimeoutMs !== undefined && !(outageTimeoutMs >= 0)) {
    throw invalid('outageTimeoutMs', 'must be a number from 0');
  }
  if (statementTimeoutMs !== undefined && !(statementTimeoutMs >= 1 && statementTimeoutMs <= LONGEST_TIMER_MS)) {
    throw invalid('statementTimeoutMs', `must be a number from 1 to ${LONGEST_TIMER_MS}`);
  }
}

function invalid(path: string, message: string): KalendsError {
  return new KalendsError('InvalidRequest', `${path}: ${message}`, { details: [{ path, message }] });
}
