import { AsyncLocalStorage } from 'node:async_hooks';
import type { SqlDialect, Tables } from '@kalends/sql';
import type { Kysely } from 'kysely';
import type { Run } from './run.ts';

/** The account is no longer in this database, or is just being moved to another: nothing was changed. */
export class AccountMovedError extends Error {
  constructor(accountId: string) {
    super(`The account ${accountId} is not here, or is being moved`);
    this.name = 'AccountMovedError';
  }
}

/** Where a caller believes an account to be. */
export interface Fence {
  readonly accountId: string;
  readonly shard: string;
}

/**
 * The lock of an account in one database, until the end of the transaction. Of a row, those who share it could keep out a move
 * for good: the lock manager lets none pass one that waits.
 */
const KEY = `hashtextextended('kalends ' || $1, 0)`;
const SHARE = `select pg_advisory_xact_lock_shared(${KEY})`;
/** A statement of its own: it sees what was committed while the lock was waited for. */
const CHECK = `select 1 as is_open from kalends_account_place where account_id = $1 and shard = $2 and is_closed = 0`;

/** Waits for the transactions that write to an account in this database, and keeps others out until the end of this one. */
export async function lockAccount(run: Run, accountId: string): Promise<void> {
  await run(`select pg_advisory_xact_lock(${KEY})`, [accountId]);
}

export interface Fences {
  /** Runs the work, whose transactions change nothing unless the account is where the caller believes. */
  within<Result>(fence: Fence, work: () => Result): Result;
  /** Returns a dialect whose transactions throw AccountMovedError then. */
  guard(dialect: SqlDialect): SqlDialect;
}

/**
 * The fence of the present work, and whose it is. One for all storages: each that is ever used costs every asynchronous step of the
 * process some time, for good.
 */
const current = new AsyncLocalStorage<Fence & { readonly of: object }>();

/**
 * Creates fences for the transactions of one storage. The check is sent ahead of the first statement without waiting for its
 * answer, so that it takes no round trip of its own.
 */
export function createFences(): Fences {
  const of = {};
  const present = () => {
    const fence = current.getStore();
    return fence?.of === of ? fence : undefined;
  };
  return {
    within: (fence, work) => current.run({ ...fence, of }, work),
    guard(dialect) {
      const checks = new WeakMap<Kysely<Tables>, Promise<void>>();
      const guarded: SqlDialect = {
        ...dialect,
        transaction(database, work, options) {
          const fence = present();
          if (fence === undefined) return dialect.transaction(database, work, options);
          const checkedWork: typeof work = async (transaction) => {
            const checking = check(dialect, transaction, fence);
            checks.set(transaction, checking);
            const [checked, worked] = await Promise.allSettled([checking, work(transaction)]);
            // Errors and results of work in a place that the account has left mean nothing.
            if (checked.status === 'rejected') throw checked.reason;
            if (worked.status === 'rejected') throw worked.reason;
            return worked.value;
          };
          return dialect.transaction(database, checkedWork, options);
        },
        async finish(transaction, statements) {
          // It commits: the check comes before it.
          await checks.get(transaction);
          return await dialect.finish(transaction, statements);
        },
        batch(database, write) {
          if (present() === undefined) return dialect.batch(database, write);
          // The commit has to wait for the check.
          return guarded.transaction(database, (transaction) =>
            Promise.all(
              write().map(({ text, parameters }) => dialect.execute(transaction, text, [...parameters], false)),
            ),
          );
        },
      };
      return guarded;
    },
  };
}

async function check(dialect: SqlDialect, transaction: Kysely<Tables>, { accountId, shard }: Fence): Promise<void> {
  const [, [found]] = await Promise.all([
    dialect.execute(transaction, SHARE, [accountId], false),
    dialect.execute(transaction, CHECK, [accountId, shard], false),
  ]);
  if (found === undefined) throw new AccountMovedError(accountId);
}
