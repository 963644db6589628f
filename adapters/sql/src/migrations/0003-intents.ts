import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';

/** What is under way at providers, and the groups that it holds. */
export function intents({ ddl }: SqlDialect): readonly RawBuilder<unknown>[] {
  const { text, clustered } = ddl;
  return [
    sql`create table intent (
      id ${text} primary key,
      application_id ${text} not null,
      account_id ${text} not null references account (id) on delete cascade,
      calendar_id ${text} not null,
      collection_id bigint not null,
      kind ${text} not null,
      state ${text} not null,
      group_ids ${text} not null,
      holds_new_items smallint not null,
      data ${text} not null,
      idempotency_key ${text},
      body_hash ${text},
      created_at bigint not null,
      epoch bigint not null,
      leased_until bigint not null,
      due_at bigint,
      result ${text},
      result_revision bigint,
      kept_until bigint,
      unique (application_id, idempotency_key)
    )`,
    sql`create index intent_account on intent (account_id)`,
    sql`create index intent_collection on intent (collection_id)`,
    sql`create index intent_due on intent (due_at)`,
    sql`create index intent_kept on intent (kept_until)`,
    sql`create table held_group (
      collection_id bigint not null,
      group_id ${text} not null,
      intent_id ${text} not null references intent (id) on delete cascade,
      primary key (collection_id, group_id)
    ) ${clustered}`,
    sql`create index held_group_intent on held_group (intent_id)`,
  ];
}
