import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';

/** What all processes on the database must agree on. */
export function facts({ ddl }: SqlDialect): readonly RawBuilder<unknown>[] {
  return [sql`create table kalends_fact (name ${ddl.text} primary key, value ${ddl.text} not null)`];
}
