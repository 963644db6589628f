import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';

/** Rows of the outbox live in the key by which they are read: each delivery writes fewer trees. */
export function outboxRows({ ddl }: SqlDialect): readonly RawBuilder<unknown>[] {
  const { text, clustered } = ddl;
  return [
    sql`alter table delivery rename to delivery_before`,
    sql`create table delivery (
      target_id ${text} primary key references target (id) on delete cascade,
      application_id ${text} not null,
      host ${text} not null,
      due_at bigint,
      next_send_at double precision not null,
      spacing_ms double precision not null,
      epoch bigint not null,
      leased_until bigint not null
    ) ${clustered}`,
    sql`insert into delivery (target_id, application_id, host, due_at, next_send_at, spacing_ms, epoch, leased_until)
      select target_id, application_id, host, due_at, next_send_at, spacing_ms, epoch, leased_until
      from delivery_before`,
    sql`drop table delivery_before`,
    sql`create index delivery_due on delivery (due_at)`,
    sql`create index delivery_lane on delivery (application_id, host, due_at, target_id) where due_at is not null`,

    sql`alter table attempt rename to attempt_before`,
    sql`create table attempt (
      id ${text} not null,
      application_id ${text} not null,
      target_id ${text} not null references target (id) on delete cascade,
      message_id ${text} not null,
      event_type ${text} not null,
      at bigint not null,
      status bigint,
      failure ${text},
      latency_ms double precision not null,
      excerpt ${text} not null,
      outcome ${text} not null,
      primary key (target_id, at, id)
    ) ${clustered}`,
    sql`insert into attempt (id, application_id, target_id, message_id, event_type, at, status, failure, latency_ms,
        excerpt, outcome)
      select id, application_id, target_id, message_id, event_type, at, status, failure, latency_ms, excerpt, outcome
      from attempt_before`,
    sql`drop table attempt_before`,
    sql`create index attempt_at on attempt (at)`,
  ];
}
