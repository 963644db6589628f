import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';

/**
 * What sync has to remember across processes: repetitions that are due, ids put on the re-read list again, when there was
 * news of an item, shared budgets.
 */
export function syncState({ ddl }: SqlDialect): readonly RawBuilder<unknown>[] {
  return [
    sql`alter table schedule add column repeats_left bigint not null default 0`,
    sql`alter table reread add column times bigint not null default 0`,
    sql`alter table collection add column writes bigint not null default 0`,
    sql`update collection set writes = revision`,
    sql`alter table item_version add column written bigint not null default 0`,
    sql`update item_version set written = from_revision`,
    sql`create table call_budget (
      name ${ddl.text} primary key,
      calls double precision not null,
      at bigint not null
    )`,
  ];
}
