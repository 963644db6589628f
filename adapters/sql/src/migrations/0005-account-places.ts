import type { SqlDialect } from '../statements/dialect.ts';

/**
 * The table of where accounts are, for a deployment over several databases. In the first database it lists all of them; in the
 * others the accounts that are there. It has no foreign key: a place is written before its account.
 */
export function accountPlaces({ text, clustered }: SqlDialect['ddl']): readonly string[] {
  return [
    `create table kalends_account_place (
      account_id ${text} primary key,
      application_id ${text} not null,
      shard ${text} not null,
      moving_to ${text},
      moved_from ${text},
      is_closed smallint not null default 0,
      epoch bigint not null default 0
    ) ${clustered}`,
    `create index kalends_account_place_shard on kalends_account_place (shard, account_id)`,
    `create index kalends_account_place_moving on kalends_account_place (account_id)
      where moving_to is not null or moved_from is not null`,
  ];
}
