import type { Committed, StorageCommits } from 'kalends/ports';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from './dialect.ts';

/** Changes of running transactions that are watched. */
const pending = new WeakMap<Kysely<Tables>, Committed[]>();

/** Notes a change, to be told once the transaction is committed. */
export function noteChange(transaction: Kysely<Tables>, change: Committed): void {
  pending.get(transaction)?.push(change);
}

/** Tells listeners of commits. */
export interface CommitFeed extends StorageCommits {
  /** Tells of a change that a statement outside any transaction has made. */
  tell(change: Committed): void;
  /** Returns the dialect with its transactions watched. */
  watch(dialect: SqlDialect): SqlDialect;
}

export function createCommitFeed(): CommitFeed {
  const listeners = new Set<(change: Committed) => void>();
  const tell = (change: Committed) => {
    for (const listener of listeners) listener(change);
  };
  return {
    subscribe(given) {
      // The same function may be subscribed twice.
      const listener = (change: Committed) => given(change);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell,
    watch: (dialect) => ({
      ...dialect,
      async transaction(database, work, options) {
        if (listeners.size === 0) return await dialect.transaction(database, work, options);
        let changes: Committed[] = [];
        const watched = (transaction: Transaction<Tables>) => {
          // A transaction that lost a race runs again: its first run has changed nothing.
          changes = [];
          pending.set(transaction, changes);
          return work(transaction);
        };
        const result = await dialect.transaction(database, watched, options);
        changes.forEach(tell);
        return result;
      },
    }),
  };
}
