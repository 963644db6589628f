import pg from 'pg';
import { openDatabase } from '../../../adapters/sqlite/src/statement-cache.ts';
import { isPostgres } from '../../storages/storage-at.ts';

const DELIVERED = "select id from kalends_message where state = 'delivered'";
const COUNT = 'select count(*) as waiting from kalends_message where place is not null group by target_id';

/** Reads the outbox directly from the database. */
export interface Waiting {
  /** How many messages wait for one receiver, of that which has the most. */
  most(): Promise<number>;
  /** Ids of the messages whose delivery has been recorded. */
  delivered(): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

/** @param database a path or an address, as `storageAt` takes it */
export async function openWaiting(database: string): Promise<Waiting> {
  const most = (rows: readonly unknown[]) => Math.max(0, ...rows.map((row) => Number((row as Counted).waiting)));
  if (!isPostgres(database)) {
    const file = openDatabase(database, ['busy_timeout = 1000', 'query_only = on']);
    return {
      most: async () => most(file.execute(COUNT, []).rows),
      delivered: async () => idsOf(file.execute(DELIVERED, []).rows),
      close: async () => file.close(),
    };
  }
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  return {
    most: async () => most((await client.query(COUNT)).rows),
    delivered: async () => idsOf((await client.query(DELIVERED)).rows),
    close: () => client.end(),
  };
}

const idsOf = (rows: readonly unknown[]) => new Set(rows.map((row) => (row as { readonly id: string }).id));

interface Counted {
  readonly waiting: number | string;
}
