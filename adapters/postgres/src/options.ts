import { type Clock, KalendsError, type Logger } from 'kalends/ports';
import { checkNames, checkProcessPorts, hasFunctions } from 'kalends/runtime';

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

const NAMES: { readonly [Name in keyof Required<PostgresOptions>]: true } = {
  connectionString: true,
  pool: true,
  schema: true,
  prefix: true,
  maxConnections: true,
  listen: true,
  outageTimeoutMs: true,
  statementTimeoutMs: true,
  logger: true,
  clock: true,
};

/** Timers that are set for longer fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** The forms that `pg` takes: a URL, or the folder of a socket. It would take any other text as the name of a database. */
const ADDRESS = /^(?:postgres(?:ql)?:\/\/|socket:|\/)/i;

/**
 * Refuses options that a database does not have: a misspelt one would count as left out, without a word.
 * @param own names of further options, of one database among several
 * @param prefix path of the options, with a dot at its end
 * @throws KalendsError InvalidRequest naming the option
 */
export function checkOptionNames(options: object, own: readonly string[] = [], prefix = ''): void {
  // Without types, the address alone is easily passed.
  if (typeof options !== 'object' || options === null) {
    throw invalid(`${prefix}connectionString`, 'must be given in an object of options, or a pool instead');
  }
  checkNames(options, [...own, ...Object.keys(NAMES)], prefix);
}

/** Checks the options' values. @throws KalendsError InvalidRequest naming the option and its rule */
export function checkOptions(options: PostgresOptions): void {
  const { connectionString, pool, listen, maxConnections, outageTimeoutMs, statementTimeoutMs, logger, clock } =
    options;
  if (pool === undefined) {
    if (connectionString === undefined || connectionString === '') {
      throw invalid('connectionString', 'must be given, or else a pool');
    }
    checkAddress('connectionString', connectionString);
  } else {
    if (connectionString !== undefined && connectionString !== '') {
      throw invalid('connectionString', 'must be left out where a pool is given');
    }
    if (!hasFunctions(pool, ['connect', 'query', 'on', 'end']))
      throw invalid('pool', 'must be a Pool of the pg package');
  }
  if (listen !== undefined && listen !== false) checkAddress('listen', listen, ', or false');
  if (maxConnections !== undefined && !(Number.isInteger(maxConnections) && maxConnections >= 1)) {
    throw invalid('maxConnections', 'must be a whole number from 1');
  }
  if (outageTimeoutMs !== undefined && !(typeof outageTimeoutMs === 'number' && outageTimeoutMs >= 0)) {
    throw invalid('outageTimeoutMs', 'must be a number from 0');
  }
  const isTimer = typeof statementTimeoutMs === 'number' && statementTimeoutMs >= 1;
  if (statementTimeoutMs !== undefined && !(isTimer && statementTimeoutMs <= LONGEST_TIMER_MS)) {
    throw invalid('statementTimeoutMs', `must be a number from 1 to ${LONGEST_TIMER_MS}`);
  }
  checkProcessPorts({ clock, logger });
}

/** The message leaves the text out: it may have a password. */
function checkAddress(name: string, address: unknown, otherwise = ''): void {
  if (typeof address === 'string' && ADDRESS.test(address)) return;
  throw invalid(name, `must be an address of the form postgres://user:password@host:port/database${otherwise}`);
}

function invalid(path: string, message: string): KalendsError {
  return new KalendsError('InvalidRequest', `${path}: ${message}`, { details: [{ path, message }] });
}
