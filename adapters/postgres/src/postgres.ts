import { createSqlStorage, createTableNames, type SqlStorageOptions, type Tables } from '@kalends/sql';
import type { Logger, Storage } from 'kalends/ports';
import { steadyLogger, systemClock, systemRandom } from 'kalends/runtime';
import { type Driver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { type ChangeFeed, createChangeFeed } from './change-feed.ts';
import { channelReader } from './channel-name.ts';
import { createConnections } from './connections.ts';
import { encodingProblem } from './diagnose-server.ts';
import { createSockets, type Sockets } from './goodbye.ts';
import { createKeptPlans } from './kept-plans.ts';
import { checkOptionNames, checkOptions, type PostgresOptions } from './options.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { ReadingDriver, WritingDriver } from './postgres-driver.ts';
import type { Run } from './sharded/run.ts';
import { problemAlone } from './sharded/shard-names.ts';

const DEFAULT_CONNECTIONS = 10;
const DEFAULT_OUTAGE_TIMEOUT_MS = 5_000;
const DEFAULT_STATEMENT_MS = 30_000;
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
 * @throws KalendsError InvalidRequest naming an option that is unknown or wrong
 * @example
 * const storage = postgres({ connectionString: 'postgres://kalends@localhost/kalends' });
 * await storage.open();
 */
export function postgres(options: PostgresOptions): Storage {
  checkOptionNames(options);
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

/** Prepares everything to use a database, and connects nothing. @throws KalendsError InvalidRequest naming a wrong option and its rule */
export function connectPostgres(options: PostgresOptions): PostgresParts {
  checkOptions(options);
  const { connectionString, clock, schema, prefix } = options;
  const { outageTimeoutMs = DEFAULT_OUTAGE_TIMEOUT_MS, statementTimeoutMs = DEFAULT_STATEMENT_MS } = options;
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
