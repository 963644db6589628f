import type { SqlDialect } from '../statements/dialect.ts';

/** Tables of slots that are taken for some minutes. */
export function holdTables({ text, clustered }: SqlDialect['ddl']): readonly string[] {
  return [
    `create table kalends_hold (
      account_id ${text} not null references kalends_account (id) on delete cascade,
      id ${text} not null,
      application_id ${text} not null,
      state ${text} not null,
      start_at bigint not null,
      end_at bigint not null,
      time_zone ${text} not null,
      taken_until bigint not null,
      replaces ${text},
      epoch bigint not null,
      body_hash ${text},
      event_id ${text},
      created_at bigint not null,
      kept_until bigint not null,
      primary key (account_id, id)
    )`,
    `create unique index kalends_hold_id on kalends_hold (id)`,
    `create index kalends_hold_replaces on kalends_hold (replaces) where replaces is not null`,
    `create index kalends_hold_kept on kalends_hold (kept_until)`,
    `create table kalends_hold_participant (
      account_id ${text} not null references kalends_account (id) on delete cascade,
      hold_id ${text} not null references kalends_hold (id) on delete cascade,
      position bigint not null,
      calendar_ids ${text} not null,
      start_at bigint not null,
      end_at bigint not null,
      taken_until bigint not null,
      primary key (account_id, hold_id)
    ) ${clustered}`,
    `create index kalends_hold_participant_position on kalends_hold_participant (hold_id, position)`,
    `create index kalends_hold_participant_taken on kalends_hold_participant (account_id, taken_until)`,
  ];
}
