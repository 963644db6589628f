/** Returns the statements for the tables of imports, a part of the first schema. */
export function importTables(text: string): readonly string[] {
  return [
    `create table kalends_import (
      account_id ${text} not null references kalends_account (id) on delete cascade,
      id ${text} not null,
      application_id ${text} not null,
      calendar_id ${text} not null,
      state ${text} not null,
      is_dry_run smallint not null,
      frame ${text} not null,
      problems ${text} not null,
      error_code ${text},
      created_at bigint not null,
      finished_at bigint,
      due_at bigint,
      primary key (account_id, id)
    )`,
    `create unique index kalends_import_running on kalends_import (account_id, calendar_id) where finished_at is null`,
    `create index kalends_import_due on kalends_import (due_at)`,
    `create index kalends_import_finished on kalends_import (finished_at)`,
    `create table kalends_import_item (
      account_id ${text} not null,
      import_id ${text} not null,
      uid_key ${text} not null,
      uid ${text} not null,
      components ${text} not null,
      is_too_long smallint not null,
      event_id ${text},
      failures integer not null,
      state ${text} not null,
      problems ${text},
      primary key (account_id, import_id, uid_key),
      foreign key (account_id, import_id) references kalends_import (account_id, id) on delete cascade
    )`,
    `create index kalends_import_item_state on kalends_import_item (account_id, import_id, state, failures, uid_key)`,
    `create index kalends_import_item_problem on kalends_import_item (account_id, import_id, uid_key)
      where problems is not null`,
  ];
}
