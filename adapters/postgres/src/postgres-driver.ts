import type { WrittenStatement } from '@kalends/sql';
import type { Random } from 'kalends/ports';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { PoolClient, QueryResult as PostgresResult } from 'pg';
import { bind } from './bind.ts';
import { type CommitMark, type CommitMarks, createCommitMarks } from './commit-marks.ts';
import type { Connections } from './connections.ts';
import { isBehindFailed, isConnectionLost, NotCommittedError } from './failures.ts';
import { isFrequent } from './frequent-read.ts';
import type { KeptPlans, NameOf } from './kept-plans.ts';
import { read } from './read.ts';
import { repeated } from './repeated.ts';
import { type Statement, send } from './send.ts';

/** Statements that may change something. */
const WRITES = /^\s*(?!select)\w/i;
/**
 * Statements of a migration. It needs no mark, as it looks first at what has been applied, and the table of marks may not exist
 * yet. It has no timeout.
 */
const CHANGES_SCHEMA = /^\s*(create|alter|drop|lock)\b/i;

/**
 * Kysely's driver for writing. A single statement is a transaction of its own, so that it is run again like any other when its
 * connection is lost. Statements are unnamed, and nothing is kept in the session, so that a proxy may give each transaction
 * another server connection.
 */
export class WritingDriver implements Driver {
  readonly #connections: Connections;
  readonly #marks: CommitMarks;
  readonly #inText: (text: string) => string;

  readonly #plans: KeptPlans;

  /** @param inText puts the names of tables into a statement's text */
  constructor(connections: Connections, random: Random, plans: KeptPlans, inText = (text: string) => text) {
    this.#plans = plans;
    this.#connections = connections;
    this.#marks = createCommitMarks(connections, random, inText);
    this.#inText = inText;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<WritingConnection> {
    return new WritingConnection(this.#connections, this.#marks, this.#plans, this.#inText);
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

/** Takes a connection from the pool when a transaction begins. */
export class WritingConnection implements DatabaseConnection {
  readonly #connections: Connections;
  readonly #marks: CommitMarks;
  readonly #inText: (text: string) => string;
  readonly #plans: KeptPlans;
  #transaction: RunningTransaction | undefined;
  #isFinished = false;

  constructor(connections: Connections, marks: CommitMarks, plans: KeptPlans, inText: (text: string) => string) {
    this.#connections = connections;
    this.#marks = marks;
    this.#plans = plans;
    this.#inText = inText;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#isFinished) throw new Error('The transaction has been finished');
    const text = this.#inText(sql);
    if (this.#transaction !== undefined) return toResult<Row>(await this.#transaction.run(text, parameters));
    if (!WRITES.test(text)) return toResult<Row>(await read(this.#connections, { text, parameters }));
    return toResult<Row>(await repeated(this.#connections, () => this.#runAlone(text, parameters)));
  }

  // biome-ignore lint/correctness/useYield: the port demands a generator
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('This driver does not stream');
  }

  /**
   * Runs statements in one transaction, sent together. It has no mark: when its answers are lost, there is no telling whether it
   * was committed. Sessions keep the plans of its statements.
   * @param write returns them once there is a connection
   */
  runTogether(write: () => readonly WrittenStatement[]): Promise<readonly PostgresResult[]> {
    return this.#plans((nameOf) => this.#sendTogether(write, nameOf));
  }

  async #sendTogether(write: () => readonly WrittenStatement[], nameOf: NameOf): Promise<readonly PostgresResult[]> {
    const { acquire, statementTimeoutMs: timeoutMs } = this.#connections;
    const client = await acquire();
    const run = (statement: Omit<Statement, 'timeoutMs'>) => send(client, { ...statement, timeoutMs });
    let failure: unknown;
    try {
      // Parameters that cannot be bound are noticed before anything is sent.
      const statements = write().map((statement) => {
        const text = this.#inText(statement.text);
        return { text, parameters: bind(statement.parameters), name: nameOf(text) };
      });
      const [only] = statements;
      // A single statement is a transaction of its own.
      if (only !== undefined && statements.length === 1) return [await run(only)];
      const all = [{ text: beginText(timeoutMs) }, ...statements, { text: 'commit' }];
      const ends = isPipelined(client) ? await Promise.allSettled(all.map(run)) : await inTurn(all, run);
      const failed = ends.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
      return ends.slice(1, -1).map((end) => (end as PromiseFulfilledResult<PostgresResult>).value);
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      failure = error;
      throw new NotCommittedError(error);
    } finally {
      this.#connections.release(client, failure);
    }
  }

  async begin(): Promise<RunningTransaction> {
    const { acquire, statementTimeoutMs } = this.#connections;
    this.#transaction = new RunningTransaction(await acquire(), this.#marks, statementTimeoutMs);
    return this.#transaction;
  }

  /** Commits. When the answer is lost, the mark tells whether the transaction was committed. */
  async commit(): Promise<void> {
    const transaction = this.#transaction;
    if (transaction === undefined) return;
    const outcome = await transaction.commit();
    if (outcome === 'rolled back') throw new Error('The transaction had failed before it was committed');
    if (outcome === 'unknown') {
      // Reading the mark takes a connection: this one goes back first, or callers that lost theirs together would exhaust the pool.
      this.release();
      if (transaction.mark === undefined || !(await this.#marks.wasCommitted(transaction.mark))) {
        throw new NotCommittedError(transaction.failure);
      }
    }
    // Without a mark it has only read, which a read-only server allows.
    if (transaction.mark !== undefined) this.#connections.refusals.written();
  }

  /** Writes the transaction's mark with its first statement: `finish` has no round trip left for it. */
  markEarly(): void {
    this.#transaction?.writeMark();
  }

  /**
   * Sends the last statements and the commit behind them. Undefined when the mark tells that the transaction was committed, and the
   * answers are lost.
   */
  async finish(statements: readonly WrittenStatement[]): Promise<readonly PostgresResult[] | undefined> {
    const transaction = this.#transaction;
    if (transaction === undefined) throw new Error('There is no transaction to finish');
    // Parameters that cannot be bound are noticed before anything is sent.
    const bound = statements.map(({ text, parameters }) => ({
      text: this.#inText(text),
      parameters: bind(parameters),
    }));
    this.#isFinished = true;
    const answers = await transaction.sendLast(bound);
    await this.commit();
    this.release();
    return answers;
  }

  async rollback(): Promise<void> {
    await this.#transaction?.rollback();
  }

  release(): void {
    const transaction = this.#transaction;
    if (transaction === undefined) return;
    this.#transaction = undefined;
    const { client, mark, failure } = transaction;
    // A transaction whose connection is lost may still hold the row of its mark.
    if (mark !== undefined && failure === undefined) this.#marks.giveBack(mark);
    this.#connections.release(client, failure);
  }

  async #runAlone(text: string, parameters: readonly unknown[]): Promise<PostgresResult> {
    const transaction = await this.begin();
    try {
      const result = await transaction.run(text, parameters);
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
  /** Error that ended the connection. */
  failure: unknown;
  /** Once it has written something. */
  mark: CommitMark | undefined;
  readonly #marks: CommitMarks;
  readonly #timeoutMs: number;
  readonly #begun: Promise<unknown>;
  #hasWritten = false;
  /** Error of the first statement that the server refused, maybe the mark: the server names it to none of those behind. */
  #refusal: unknown;
  #isChangingSchema = false;
  #marking: Promise<unknown> | undefined;
  /** Of a commit that was sent with the last statements. */
  #committing: Promise<PostgresResult> | undefined;
  /** Settles when the last statement is answered. */
  #behind: Promise<unknown> = Promise.resolve();

  constructor(client: PoolClient, marks: CommitMarks, timeoutMs: number) {
    this.client = client;
    this.#marks = marks;
    this.#timeoutMs = timeoutMs;
    // Sent ahead of the first statement without waiting for the answer.
    this.#begun = this.#send(beginText(timeoutMs));
    this.#begun.catch(() => undefined);
  }

  async run(text: string, parameters: readonly unknown[] = []): Promise<PostgresResult> {
    this.#isChangingSchema ||= CHANGES_SCHEMA.test(text);
    const isMarked = !this.#isChangingSchema && WRITES.test(text);
    const running = this.#send(text, parameters);
    // Sent behind the statement in one packet: no round trip of its own.
    if (isMarked && isPipelined(this.client)) this.writeMark();
    const [, result] = await Promise.all([this.#begun, running]);
    this.#hasWritten ||= isMarked;
    return result;
  }

  /** Before the commit goes out, a transaction that writes has written its mark. */
  async commit(): Promise<'committed' | 'rolled back' | 'unknown'> {
    if (this.#hasWritten) await this.writeMark();
    try {
      const { command } = await (this.#committing ?? this.#inLine('commit'));
      return command === 'COMMIT' ? 'committed' : 'rolled back';
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      this.failure ??= error;
      return 'unknown';
    }
  }

  /**
   * Sends the last statements with the commit behind them; resolves with their answers, undefined when one is lost. The mark has
   * been answered before: a commit that is still on its way when its connection breaks has to be found by its mark.
   * @throws what the first that the server refused threw: then nothing is committed
   */
  async sendLast(statements: readonly WrittenStatement[]): Promise<readonly PostgresResult[] | undefined> {
    await this.writeMark();
    const sent = statements.map(({ text, parameters }) => this.#inLine(text, parameters));
    this.#committing = this.#inLine('commit');
    const ends = await Promise.allSettled([...sent, this.#committing]);
    const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    this.failure ??= failures.find(isConnectionLost);
    if (failures.length === 0)
      return ends.slice(0, -1).map((end) => (end as PromiseFulfilledResult<PostgresResult>).value);
    const refused = failures.find((error) => !isConnectionLost(error));
    if (refused !== undefined) throw refused;
    return undefined;
  }

  async rollback(): Promise<void> {
    // A lost connection has rolled back by itself; a commit behind a statement that failed has ended the transaction.
    if (this.failure === undefined && this.#committing === undefined) await this.#send('rollback');
  }

  async #send(text: string, parameters: readonly unknown[] = []): Promise<PostgresResult> {
    try {
      return await this.#inLine(text, parameters);
    } catch (error) {
      if (!isConnectionLost(error)) {
        this.#refusal ??= error;
        throw isBehindFailed(error) ? this.#refusal : error;
      }
      this.failure ??= error;
      // A server rolls back a session that ends without a commit.
      throw new NotCommittedError(error);
    }
  }

  /** Sends at once on a pipelined connection, else when the statements before have been answered. */
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

  writeMark(): Promise<unknown> {
    if (this.#marking === undefined) {
      this.mark = this.#marks.take();
      this.#marking = this.#send(this.#marks.writeText, [this.mark.id, this.mark.transactions]);
      // The commit awaits it; the statement before it may have failed.
      this.#marking.catch(() => undefined);
    }
    return this.#marking;
  }
}

/** Kysely's driver for single reading statements, which are sent again when their connection is lost. */
export class ReadingDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(connections: Connections, plans: KeptPlans, inText = (text: string) => text) {
    this.#connection = {
      async executeQuery<Row>(query: CompiledQuery) {
        const reading = { text: inText(query.sql), parameters: query.parameters };
        if (!isFrequent(query)) return toResult<Row>(await read(connections, reading));
        return toResult<Row>(await plans((nameOf) => read(connections, { ...reading, name: nameOf(reading.text) })));
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

/**
 * Returns the text that begins a transaction. Its statements see what others have committed while they waited for a row, whatever
 * the database's default. A process that stands still, as one that is swapped out, would keep its rows locked: the
 * server ends its session before the statements that wait for them run out of time.
 */
function beginText(timeoutMs: number): string {
  return `begin isolation level read committed; set local idle_in_transaction_session_timeout = ${Math.ceil(timeoutMs / 3)}`;
}

/**
 * Runs one after the other, the last one too when one has failed: a commit ends a failed transaction. Ends with a lost connection:
 * a driver may send what follows once the server answers again.
 */
async function inTurn<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<readonly PromiseSettledResult<Result>[]> {
  const ends: PromiseSettledResult<Result>[] = [];
  for (const item of items) {
    const [end] = await Promise.allSettled([run(item)]);
    ends.push(end);
    if (end.status === 'rejected' && isConnectionLost(end.reason)) break;
  }
  return ends;
}

function toResult<Row>({ rows, command, rowCount }: PostgresResult): QueryResult<Row> {
  const isChange = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE';
  return { rows: rows as Row[], ...(isChange ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
}

function isPipelined(client: PoolClient): boolean {
  return 'pipeline' in client && client.pipeline === true;
}
