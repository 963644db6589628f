import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';

/** By what a transaction is recognised when the answer to its commit is lost; one row for each that runs at a time. */
export function commitMarks({ ddl }: SqlDialect): readonly RawBuilder<unknown>[] {
  return [
    sql`create table commit_mark (
      id ${ddl.text} primary key,
      transactions bigint not null,
      at bigint not null
    )`,
  ];
}
