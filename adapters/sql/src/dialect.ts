import type { StorageTopic } from 'kalends/ports';
import type { Kysely, RawBuilder, Transaction } from 'kysely';
import type { Tables } from './schema.ts';

/**
 * Where SQLite and PostgreSQL differ. Integers must arrive as numbers (a PostgreSQL driver parses int8), and the
 * default isolation must let a reader see whole transactions only.
 */
export interface SqlDialect {
  /** Fragments of the schema. */
  readonly ddl: {
    /** A text column that is compared by its UTF-8 bytes. */
    readonly text: RawBuilder<unknown>;
    /** A primary key that counts up by itself and never gives a number twice. */
    readonly identity: RawBuilder<unknown>;
    /** Behind a table's definition: rows live in the primary key. */
    readonly clustered: RawBuilder<unknown>;
  };
  /** Behind a select: locks its rows until the end of the transaction. */
  readonly forUpdate: RawBuilder<unknown>;
  /** The same, passing over rows that somebody else has locked. */
  readonly forUpdateSkipLocked: RawBuilder<unknown>;
  /** The text of `forUpdateSkipLocked`, for the rows of one table of several. */
  lockFreeOf(alias: string): string;
  /** Whether a derived table may refer to those before it (`lateral`). */
  readonly hasLateral: boolean;
  /** Whether a parameter may be an array. */
  readonly hasArrays: boolean;
  /** The text of the n-th parameter of a statement, counted from 1. */
  placeholder(position: number): string;
  /** The storage's own clock, epoch milliseconds: it decides about leases and due work. */
  now(database: Kysely<Tables>): Promise<number>;
  /**
   * Leases that ended by this time have run out. That is `now`, and for OUTAGE_GRACE_MS after an outage the time at which
   * it began: what ended since could not be renewed.
   */
  runOutBy(now: number): number;
  /** What an operator has to mend, null when there is nothing. @default nothing that a statement would not tell */
  fault?(database: Kysely<Tables>): Promise<string | null>;
  /** Runs the work in one writing transaction; a transaction that lost a race for the database is run again. */
  transaction<Result>(
    database: Kysely<Tables>,
    work: (transaction: Transaction<Tables>) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Runs a statement given as text; resolves with the rows that it returns.
   * @param isFrequent it comes with every request, by itself, and reads single rows by unique keys: its plan may be kept
   */
  execute<Row>(
    database: Kysely<Tables>,
    text: string,
    parameters: unknown[],
    isFrequent: boolean,
  ): Promise<readonly Row[]>;
  /**
   * Does what needs no answer of what stands before it: one after another, or, where statements can travel together, all at
   * once, their first statements going out in this order. Resolves when all have ended.
   * @throws what the first that failed threw; the transaction is then of no use
   */
  together(works: readonly (() => Promise<unknown>)[]): Promise<void>;
  /** Called in a transaction that makes work due at once: wakes other processes' workers when it has been committed. */
  announce(transaction: Kysely<Tables>, topic: StorageTopic): void;
  /** Called when a migration has been applied, in its transaction: what the planner has to be told. */
  afterMigration(transaction: Transaction<Tables>): Promise<void>;
  /** Called between the parts of long work: lets others have the event loop where statements hold it. */
  pause(): Promise<void>;
  /** Keeps other processes from migrating until the end of the transaction. */
  lockSchema(transaction: Transaction<Tables>): Promise<void>;
  /** Whether the database refused a row because a unique key is taken. */
  isUniqueViolation(error: unknown): boolean;
}
