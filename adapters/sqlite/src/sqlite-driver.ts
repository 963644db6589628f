import { type Clock, StorageUnavailableError } from 'kalends/ports';
import { type OutageMemory, systemClock, systemRandom } from 'kalends/runtime';
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely';
import { type BusyWaits, createBusyWaits } from './busy.ts';
import type { FileWatch } from './file-watch.ts';
import { createMutex } from './mutex.ts';
import { fileFailureOf } from './result-code.ts';
import { type CachingDatabase, openDatabase } from './statement-cache.ts';
import { createTurn } from './turn.ts';

export interface SqliteDriverOptions {
  readonly path: string;
  readonly pragmas: readonly string[];
  /** Whether statements run one by one. A connection that only reads committed data needs no turns. */
  readonly isExclusive: boolean;
  /** Records waits for the database; for the connection that writes. */
  readonly outages?: OutageMemory;
  /** Runs each statement. @default runs it */
  readonly watch?: FileWatch;
  /** How long one transaction of another process is waited for. @default LIMIT_MS */
  readonly limitMs?: () => number;
  /** Puts the names of tables into a statement's text. @default leaves it as it is */
  readonly inText?: (text: string) => string;
  /** Time of the waits for other processes, which run in real time whatever the storage's clock is; for tests. @default the system's */
  readonly waitClock?: Clock;
}

/**
 * Kysely's driver over one connection. Transactions begin by taking the write lock (a deferred one would fail when it
 * first writes) and have the connection to themselves. Waiting for a lock does not block the event loop.
 */
export class SqliteDriver implements Driver {
  readonly #options: SqliteDriverOptions;
  readonly #mutex = createMutex();
  readonly #waits: BusyWaits;
  /** Changed rows when the transaction began, while the database counts as one that cannot be written. */
  #changesBefore: number | undefined;
  #database: CachingDatabase | undefined;
  #connection: DatabaseConnection | undefined;

  constructor(options: SqliteDriverOptions) {
    this.#options = options;
    const { outages, watch, limitMs, waitClock: clock = systemClock } = options;
    const refused = (error: unknown) => watch?.locked(error) ?? new StorageUnavailableError(LOCKED, error);
    this.#waits = createBusyWaits({
      clock,
      random: systemRandom,
      outages,
      ...(limitMs === undefined ? {} : { limitMs }),
      commits: () => this.#database?.countCommits(),
      refused,
      line: this.#mutex,
    });
  }

  async init(): Promise<void> {
    const { path, pragmas, watch, inText } = this.#options;
    const run: RunStatement = (statement) =>
      this.#waits.run(() => (watch === undefined ? statement() : watch.run(statement)));
    const database = await run(() => openDatabase(path, pragmas, inText)).catch((error: unknown) => {
      if (fileFailureOf(error) !== 'damaged' || !(error instanceof Error)) throw error;
      throw new Error(`The file ${path} cannot be opened: ${error.message}`, { cause: error });
    });
    this.#database = database;
    this.#connection = createConnection(database, run);
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#options.isExclusive) await this.#mutex.lock(this.#waits.begin());
    if (this.#connection === undefined) throw new Error('The database is not open');
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    if (this.#options.isExclusive) this.#mutex.unlock();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
    this.#changesBefore = this.#options.watch?.isUnusable === true ? this.#database?.countChanges() : undefined;
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
    // One that has changed nothing writes nothing, and commits on a full disk too.
    if (this.#changesBefore !== undefined && this.#database?.countChanges() !== this.#changesBefore) {
      this.#options.watch?.written();
    }
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database?.isInTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    // A running transaction ends first.
    await this.#mutex.lock();
    this.#database?.close();
  }
}

const LOCKED = 'Another process keeps the database file locked';

type RunStatement = <Result>(statement: () => Result) => Promise<Result>;

function createConnection(database: CachingDatabase, run: RunStatement): DatabaseConnection {
  const turn = createTurn();
  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      if (turn.isSpent) await turn.next();
      const { rows, changes } = await run(() => database.execute(sql, parameters));
      turn.add(parameters.length, rows.length);
      return {
        rows: rows as Row[],
        ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }),
      };
    },
    // biome-ignore lint/correctness/useYield: the port demands a generator
    async *streamQuery() {
      throw new Error('This driver does not stream');
    },
  };
}
