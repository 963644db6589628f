import type { Logger, Random } from 'kalends/ports';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { PoolClient, QueryResult as PostgresResult } from 'pg';
import { type CommitMark, type CommitMarks, createCommitMarks, MARK } from './commit-marks.ts';
import type { Connections } from './connections.ts';
import { isConnectionLost, NotCommittedError } from './failures.ts';
import { createFrequentReads, isFrequent } from './frequent-read.ts';
import { read } from './read.ts';
import { repeated } from './repeated.ts';
import { send } from './send.ts';

/** Statements that may give a transaction something to commit. */
const WRITES = /^\s*(?!select)\w/i;
/**
 * Of a migration, which looks first at what has been done: run again it does no harm, and the marks may not be there yet.
 * It may take its time.
 */
const CHANGES_SCHEMA = /^\s*(create|alter|drop|lock)\b/i;

/**
 * Kysely's driver for what writes. A statement by itself is a transaction of its own, so that one whose connection is lost
 * is run again like any other. Its statements are unnamed, and nothing is kept in the session, so that a proxy may give each
 * transaction another server connection.
 */
export class WritingDriver implements Driver {
  readonly #connections: Connections;
  readonly #marks: CommitMarks;

  constructor(connections: Connections, random: Random) {
    this.#connections = connections;
    this.#marks = createCommitMarks(connections, random);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<WritingConnection> {
    return new WritingConnection(this.#connections, this.#marks);
  }

  async releaseConnection(connection: WritingConnection): Promise<void> {
    connection.release();
  }

  async beginTransaction(connection: WritingConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: WritingConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: WritingConnection): Promise<void> {
    await connection.rollback();
  }

  async destroy(): Promise<void> {
    await this.#connections.close();
  }
}

/** Takes one from the pool when a transaction begins. */
class WritingConnection implements DatabaseConnection {
  readonly #connections: Connections;
  readonly #marks: CommitMarks;
  #transaction: RunningTransaction | undefined;

  constructor(connections: Connections, marks: CommitMarks) {
    this.#connections = connections;
    this.#marks = marks;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#transaction !== undefined) return toResult<Row>(await this.#transaction.run(sql, parameters));
    if (!WRITES.test(sql)) return toResult<Row>(await read(this.#connections, { text: sql, parameters }));
    return toResult<Row>(await repeated(this.#connections, () => this.#runAlone(sql, parameters)));
  }

  // biome-ignore lint/correctness/useYield: the port demands a generator
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('This driver does not stream');
  }

  async begin(): Promise<void> {
    const { acquire, statementTimeoutMs } = this.#connections;
    this.#transaction = new RunningTransaction(await acquire(), this.#marks, statementTimeoutMs);
  }

  /** A lost answer is asked for again: resolves when the transaction was committed all the same. */
  async commit(): Promise<void> {
    const transaction = this.#transaction;
    const outcome = await transaction?.commit();
    if (transaction === undefined || outcome === 'committed') return;
    if (outcome === 'rolled back') throw new Error('The transaction had failed before it was committed');
    // Asking takes a connection, which all those that lost theirs at once would wait for in vain.
    this.release();
    if (transaction.mark === undefined || !(await this.#marks.wasCommitted(transaction.mark))) {
      throw new NotCommittedError(transaction.failure);
    }
  }

  async rollback(): Promise<void> {
    await this.#transaction?.rollback();
  }

  release(): void {
    const transaction = this.#transaction;
    if (transaction === undefined) return;
    this.#transaction = undefined;
    const { client, mark, failure } = transaction;
    // A transaction that nobody can end may still hold the row of its mark.
    if (mark !== undefined && failure === undefined) this.#marks.giveBack(mark);
    this.#connections.release(client, failure);
  }

  async #runAlone(text: string, parameters: readonly unknown[]): Promise<PostgresResult> {
    await this.begin();
    try {
      const result = await this.#transaction!.run(text, parameters);
      await this.commit();
      return result;
    } catch (error) {
      await this.rollback();
      throw error;
    } finally {
      this.release();
    }
  }
}

class RunningTransaction {
  readonly client: PoolClient;
  /** What cut the connection. */
  failure: unknown;
  /** Once it has written something. */
  mark: CommitMark | undefined;
  readonly #marks: CommitMarks;
  readonly #timeoutMs: number;
  readonly #begun: Promise<unknown>;
  #hasWritten = false;
  #isChangingSchema = false;
  #marking: Promise<unknown> | undefined;
  /** The end of what was sent last. */
  #behind: Promise<unknown> = Promise.resolve();

  constructor(client: PoolClient, marks: CommitMarks, timeoutMs: number) {
    this.client = client;
    this.#marks = marks;
    this.#timeoutMs = timeoutMs;
    // Goes out before the first statement, whose answer is the first that is waited for.
    this.#begun = this.#send('begin');
    this.#begun.catch(() => undefined);
  }

  async run(text: string, parameters: readonly unknown[] = []): Promise<PostgresResult> {
    this.#isChangingSchema ||= CHANGES_SCHEMA.test(text);
    const isMarked = !this.#isChangingSchema && WRITES.test(text);
    const running = this.#send(text, parameters);
    // Goes out behind the statement, and costs no round trip of its own.
    if (isMarked && isPipelined(this.client)) void this.#writeMark();
    const [, result] = await Promise.all([this.#begun, running]);
    this.#hasWritten ||= isMarked;
    return result;
  }

  /** Before the commit goes out, a transaction that writes has written its mark. */
  async commit(): Promise<'committed' | 'rolled back' | 'unknown'> {
    if (this.#hasWritten) await this.#writeMark();
    try {
      const { command } = await this.#inLine('commit');
      return command === 'COMMIT' ? 'committed' : 'rolled back';
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      this.failure ??= error;
      return 'unknown';
    }
  }

  async rollback(): Promise<void> {
    // A lost connection has rolled back by itself.
    if (this.failure === undefined) await this.#send('rollback');
  }

  async #send(text: string, parameters: readonly unknown[] = []): Promise<PostgresResult> {
    try {
      return await this.#inLine(text, parameters);
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      this.failure ??= error;
      // A server commits nothing of a session that ends without a commit.
      throw new NotCommittedError(error);
    }
  }

  /** At once where the connection takes several statements at a time, else when it has answered those before. */
  #inLine(text: string, parameters: readonly unknown[] = []): Promise<PostgresResult> {
    const sendIt = () => send(this.client, { text, parameters, timeoutMs: this.#limitMs });
    if (isPipelined(this.client)) return sendIt();
    const sent = this.#behind.then(sendIt);
    this.#behind = sent.catch(() => undefined);
    return sent;
  }

  get #limitMs(): number {
    return this.#isChangingSchema ? 0 : this.#timeoutMs;
  }

  #writeMark(): Promise<unknown> {
    if (this.#marking === undefined) {
      this.mark = this.#marks.take();
      this.#marking = this.#send(MARK, [this.mark.id, this.mark.transactions]);
      // Seen by the commit: the statement before it may have failed.
      this.#marking.catch(() => undefined);
    }
    return this.#marking;
  }
}

/** Kysely's driver for single reading statements: those whose connection is lost are sent again. */
export class ReadingDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(connections: Connections, logger: Logger) {
    const readOften = createFrequentReads(connections, logger);
    this.#connection = {
      async executeQuery<Row>(query: CompiledQuery) {
        const reading = { text: query.sql, parameters: query.parameters };
        return toResult<Row>(await (isFrequent(query) ? readOften(reading) : read(connections, reading)));
      },
      // biome-ignore lint/correctness/useYield: the port demands a generator
      async *streamQuery() {
        throw new Error('This driver does not stream');
      },
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error('Transactions are not for the reading side');
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  /** The writing side closes the connections. */
  async destroy(): Promise<void> {}
}

function toResult<Row>({ rows, command, rowCount }: PostgresResult): QueryResult<Row> {
  const isChange = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
  return { rows: rows as Row[], ...(isChange ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
}

function isPipelined(client: PoolClient): boolean {
  return 'pipeline' in client && client.pipeline === true;
}
