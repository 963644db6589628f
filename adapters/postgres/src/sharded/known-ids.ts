import { StorageUnavailableError } from 'kalends/ports';
import type { ShardSet } from './shard-set.ts';

/** Ids that are remembered; beyond it all are forgotten. */
const MOST_IDS = 50_000;

/** Finds the accounts of rows that calls name by their own ids alone. */
export interface KnownIds {
  /** Notes the account of a row; null for one that belongs to none. */
  note(id: string, accountId: string | null): void;
  /**
   * Returns the account of a row, null for one that belongs to none, and undefined when no database has the row.
   * @throws StorageUnavailableError when none of those that can be reached has it, and one is away
   */
  find(id: string): Promise<string | null | undefined>;
  /** Finds the accounts of several rows; rows that are not found, in any database that can be reached, are left out. */
  findMany(ids: readonly string[]): Promise<{
    readonly accounts: ReadonlyMap<string, string | null>;
    /** Whether a database could not be asked for what was not found. */
    readonly isPartial: boolean;
  }>;
}

/** @param table whose rows have an `id` and an `account_id` */
export function createKnownIds(
  shards: ShardSet,
  table: 'kalends_target' | 'kalends_intent' | 'kalends_channel',
): KnownIds {
  const known = new Map<string, string | null>();
  const note = (id: string, accountId: string | null) => {
    if (known.size >= MOST_IDS) known.clear();
    known.set(id, accountId);
  };
  const findMany: KnownIds['findMany'] = async (ids) => {
    const accounts = new Map<string, string | null>();
    const unknown = [...new Set(ids)].filter((id) => {
      const accountId = known.get(id);
      if (accountId !== undefined) accounts.set(id, accountId);
      return accountId === undefined;
    });
    if (unknown.length === 0) return { accounts, isPartial: false };
    const answers = await shards.askReachable((_storage, shard) =>
      shard.read<{ readonly id: string; readonly account: string | null }>(
        `select id, account_id as account from ${table} where id = any($1::text[])`,
        [unknown],
      ),
    );
    for (const { id, account } of answers.flat()) {
      accounts.set(id, account);
      note(id, account);
    }
    const isPartial = answers.length < shards.all.length && unknown.some((id) => !accounts.has(id));
    return { accounts, isPartial };
  };
  return {
    note,
    findMany,
    async find(id) {
      const { accounts, isPartial } = await findMany([id]);
      const accountId = accounts.get(id);
      if (accountId === undefined && isPartial) {
        throw new StorageUnavailableError('A database cannot be reached that may have what was asked for', undefined);
      }
      return accountId;
    },
  };
}
