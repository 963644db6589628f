import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';
import { rangeClass } from '../range-index.ts';

/** What keeps the cost of a look apart from the number of rows that others have. */
export function scale(_dialect: SqlDialect): readonly RawBuilder<unknown>[] {
  return [
    // Accounts that cannot be worked on would stand at the head of what is due.
    sql`alter table schedule add column is_active smallint not null default 1`,
    sql`update schedule set is_active = 0 where account_id in (select id from account where status <> 'ACTIVE')`,
    sql`create index schedule_ready on schedule (is_active, due_at, account_id)`,
    sql`drop index schedule_due`,
    // Lanes of those that wait: the others are most.
    sql`drop index delivery_lane`,
    sql`create index delivery_lane on delivery (application_id, host, due_at, target_id) where due_at is not null`,
    // Items of a time, by how long they are: of those of a class, only those that begin shortly before it can meet it.
    sql`create index item_version_range on item_version (collection_id, ${sql.raw(rangeClass.text)}, range_start)
      where body is not null`,
  ];
}
