import { createHash } from 'node:crypto';
import type { TableNames } from '@kalends/sql';
import type pg from 'pg';

/**
 * Returns a reader of the channel's name. It names the schema that holds the tables, whether the options name it or the search
 * path does: processes of both kinds wake each other. Reads the database once, on the first call that succeeds.
 */
export function channelReader(pool: pg.Pool, names: TableNames): () => Promise<string> {
  let known: Promise<string> | undefined;
  const read = async () => channelOf(names, names.schema ?? (await currentSchema(pool)));
  return () => {
    known ??= read().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

async function currentSchema(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ readonly name: string | null }>('select current_schema()::text as name');
  return rows[0]?.name ?? '';
}

/** PostgreSQL refuses names of 64 bytes and more: a long schema is represented by its hash. */
function channelOf({ ownName }: TableNames, schema: string): string {
  const name = ownName('kalends_changes');
  const channel = `${schema}.${name}`;
  if (Buffer.byteLength(channel) < 64) return channel;
  return `${name}_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`;
}
