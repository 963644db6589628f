import type { SqlDialect } from '../statements/dialect.ts';

/** The table of who was assigned to what in a round-robin. A row outlives its hold: a booking counts for as long as it stands. */
export function assignments({ text, clustered }: SqlDialect['ddl']): readonly string[] {
  return [
    `create table kalends_assignment (
      account_id ${text} not null references kalends_account (id) on delete cascade,
      pool ${text} not null,
      assigned_at bigint not null,
      hold_id ${text} not null,
      application_id ${text} not null,
      counts_until bigint not null,
      primary key (account_id, pool, assigned_at, hold_id)
    ) ${clustered}`,
    `create unique index kalends_assignment_hold on kalends_assignment (hold_id)`,
  ];
}
