import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';

/** Cool-downs of accounts move from their leases, which were held to the end of them, to their schedules. */
export function coolDowns(_dialect: SqlDialect): readonly RawBuilder<unknown>[] {
  return [
    sql`alter table schedule add column not_before bigint not null default 0`,
    sql`update schedule set not_before = (select leased_until from lease where name = 'account:' || schedule.account_id)
      where exists (select 1 from lease where name = 'account:' || schedule.account_id)`,
    sql`update schedule set due_at = not_before where due_at < not_before`,
    // The epoch fences off a process of the version before that is still at work.
    sql`update lease set epoch = epoch + 1, leased_until = 0 where name like 'account:%'`,
  ];
}
