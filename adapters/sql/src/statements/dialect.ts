import type { Finding, StorageTopic } from 'kalends/ports';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../schema/schema.ts';
import type { Fragment, WrittenStatement } from './written-statement.ts';

/**
 * Where SQLite and PostgreSQL differ. Integers must arrive as numbers (a PostgreSQL driver parses int8), and the
 * default isolation must let a reader see whole transactions only.
 */
export interface SqlDialect {
  /** Text of the schema's statements. */
  readonly ddl: {
    /** Type of a text column that is compared by its UTF-8 bytes. */
    readonly text: string;
    /** Type of a primary key that counts up by itself and never gives a number twice. */
    readonly identity: string;
    /** Type of a column that counts in the same way, and the words for the table's key beside it. */
    readonly numbered: { readonly column: string; readonly key: string };
    /** Stands behind a table's definition: its rows are stored in the primary key. */
    readonly clustered: string;
  };
  /** Stands behind a select: locks its rows until the end of the transaction. */
  readonly forUpdate: string;
  /** The same, passing over rows that another transaction has locked. */
  readonly forUpdateSkipLocked: string;
  /** `forUpdateSkipLocked` for the rows of one table of several. */
  lockFreeOf(alias: string): string;
  /** Whether a derived table may refer to those before it (`lateral`). */
  readonly hasLateral: boolean;
  /** Whether a parameter may be an array. */
  readonly hasArrays: boolean;
  /** Returns the text of the n-th parameter of a statement, counted from 1. */
  placeholder(position: number): string;
  /** Reads the storage's own clock, epoch milliseconds: it decides about leases and due work. */
  now(database: Kysely<Tables>): Promise<number>;
  /** Returns what stands for the storage's own clock in a statement: its time, or the text that reads it, epoch milliseconds. */
  clock(): number | Fragment;
  /**
   * Returns the time by which an expired lease must have ended. That is `now`, and for OUTAGE_GRACE_MS after an outage the
   * time at which it began: its holders could not renew what has ended since. It moves as `now` does: `runOutBy(0)` is its
   * distance.
   */
  runOutBy(now: number): number;
  /** Reads what an operator has to repair, null when there is nothing. @default nothing that a statement would not show */
  fault?(database: Kysely<Tables>): Promise<string | null>;
  /** Overwrites what is kept of removed rows outside the tables. @default nothing that a program can reach */
  settle?(database: Kysely<Tables>): Promise<void>;
  /** Examines the database's surroundings, as HealthStore.diagnose does. @default finds nothing */
  diagnose?(database: Kysely<Tables>, signal: AbortSignal): Promise<readonly Finding[]>;
  /**
   * Runs the work in one writing transaction, and runs it again when the transaction lost a race for the database.
   * @param options `finishes`: the work ends with `finish`, which saves a round trip then
   */
  transaction<Result>(
    database: Kysely<Tables>,
    work: (transaction: Transaction<Tables>) => Promise<Result>,
    options?: { readonly finishes?: boolean },
  ): Promise<Result>;
  /**
   * Runs the last statements of a transaction, of which none needs the answer of another, and commits it: on a server in one
   * round trip. Resolves with the rows of each, or with undefined when it was committed and the answers were lost.
   */
  finish(
    transaction: Transaction<Tables>,
    statements: readonly WrittenStatement[],
  ): Promise<readonly (readonly unknown[])[] | undefined>;
  /**
   * Runs statements of which none needs the answer of another in one transaction; resolves with the rows of each. On a server
   * they take one round trip together, and when their answers are lost they are run again, whether they were committed or
   * not: only for what does no harm twice. They come often and find all of their rows by keys: their plans may be kept.
   * @param write returns the statements of a run, which may have waited long for its turn
   */
  batch(database: Kysely<Tables>, write: () => readonly WrittenStatement[]): Promise<readonly (readonly unknown[])[]>;
  /**
   * Runs a statement given as text; resolves with the rows that it returns.
   * @param isFrequent it comes by itself, often, and finds all of its rows by keys or forced look-ups in indexes: its plan may be kept
   */
  execute<Row>(
    database: Kysely<Tables>,
    text: string,
    parameters: unknown[],
    isFrequent: boolean,
  ): Promise<readonly Row[]>;
  /**
   * Runs works of which none needs the answer of another: one after the other, or, where statements can be pipelined, at the
   * same time, their first statements in this order. Resolves when all have ended.
   * @throws what the first that failed threw; the transaction is then unusable
   */
  together(works: readonly (() => Promise<unknown>)[]): Promise<void>;
  /** Wakes other processes' workers once the transaction, which makes work due at once, is committed; at once outside of one. */
  announce(database: Kysely<Tables>, topic: StorageTopic): void;
  /** Lets other work have the event loop between the parts of long work, where statements block it. */
  pause(): Promise<void>;
  /** Finds out where the tables of these names are, or are to be created. */
  locate(database: Kysely<Tables>, names: readonly string[]): Promise<TableLocation>;
  /** Keeps other processes from migrating until the end of the transaction. */
  lockSchema(transaction: Transaction<Tables>): Promise<void>;
  /** Statements behind those of a migration, in its transaction: what the planner has to know. */
  readonly afterMigration: readonly string[];
  /** Whether the database refused a row because a unique key is taken. */
  isUniqueViolation(error: unknown): boolean;
  /** Whether the database refused a select because what has the table's name is no table, or has no such column. */
  isWrongTable(error: unknown): boolean;
}

export interface TableLocation {
  /** Null where the database has no schemas. */
  readonly schema: string | null;
  /** Whether that schema has to be created first. */
  readonly isSchemaMissing: boolean;
  /** Names, as given, that a table cannot have there: those of tables, other relations and types. */
  readonly existing: readonly string[];
  /** Schema behind that one in which a statement finds the first of the names; null when there is none. */
  readonly shadowed: string | null;
}
