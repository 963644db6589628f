import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';

/**
 * Subscriptions become one kind of target, endpoints of applications the other. Columns cannot lose their `not null` in
 * SQLite, so the tables are written anew, parents last.
 */
export function webhookTargets({ ddl }: SqlDialect): readonly RawBuilder<unknown>[] {
  const { text, identity } = ddl;
  return [
    sql`create table target (
      id ${text} primary key,
      application_id ${text} not null references application (id) on delete cascade,
      account_id ${text} references account (id) on delete cascade,
      calendar_id ${text},
      subscription_type ${text},
      provider_type ${text},
      url ${text} not null,
      wrapped_key ${text} not null,
      sealed_secret ${text} not null,
      previous_sealed_secret ${text},
      previous_secret_until bigint,
      rate_limit double precision,
      disabled_at bigint,
      failing_since bigint,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    sql`insert into target (id, application_id, account_id, calendar_id, subscription_type, provider_type, url,
        wrapped_key, sealed_secret, rate_limit, disabled_at, failing_since, created_at, updated_at)
      select id, application_id, account_id, calendar_id, subscription_type, provider_type, url,
        wrapped_key, sealed_secret, rate_limit, disabled_at, failing_since, created_at, updated_at
      from subscription`,
    sql`create index target_account on target (account_id, created_at, id)`,
    sql`create index target_endpoint on target (application_id, created_at, id) where account_id is null`,

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
    )`,
    // The URL stands for its host: an older subscription has a line of its own.
    sql`insert into delivery (target_id, application_id, host, due_at, next_send_at, spacing_ms, epoch, leased_until)
      select s.id, s.application_id, s.url, d.due_at, d.next_send_at,
        case when s.rate_limit is null then 0 else 1000 / s.rate_limit end, d.epoch, d.leased_until
      from delivery_before d join subscription s on s.id = d.subscription_id`,
    sql`drop table delivery_before`,
    sql`create index delivery_due on delivery (due_at)`,
    sql`create index delivery_lane on delivery (application_id, host, due_at)`,

    sql`alter table message rename to message_before`,
    sql`create table message (
      seq ${identity},
      id ${text} not null unique,
      application_id ${text} not null,
      target_id ${text} not null references target (id) on delete cascade,
      event_type ${text} not null,
      changed_at bigint not null,
      data ${text},
      attempts bigint not null,
      state ${text} not null,
      place bigint,
      retry_at bigint not null,
      created_at bigint not null
    )`,
    sql`insert into message (id, application_id, target_id, event_type, changed_at, attempts, state, place, retry_at,
        created_at)
      select id, application_id, subscription_id, event_type, changed_at, attempts, state, place, retry_at, created_at
      from message_before order by seq`,
    sql`update message set place = seq where place is not null`,
    sql`drop table message_before`,
    sql`create index message_line on message (target_id, place) where place is not null`,
    sql`create index message_target on message (target_id, created_at)`,
    sql`create index message_created on message (created_at)`,

    sql`alter table attempt rename to attempt_before`,
    sql`create table attempt (
      id ${text} primary key,
      application_id ${text} not null,
      target_id ${text} not null references target (id) on delete cascade,
      message_id ${text} not null,
      event_type ${text} not null,
      at bigint not null,
      status bigint,
      failure ${text},
      latency_ms double precision not null,
      excerpt ${text} not null,
      outcome ${text} not null
    )`,
    sql`insert into attempt (id, application_id, target_id, message_id, event_type, at, status, failure, latency_ms,
        excerpt, outcome)
      select a.id, a.application_id, a.subscription_id, a.message_id, coalesce(m.event_type, 'calendar.event.changed'),
        a.at, a.status, a.failure, a.latency_ms, a.excerpt,
        case when a.status between 200 and 299 then 'delivered' else 'retry' end
      from attempt_before a left join message m on m.id = a.message_id`,
    sql`drop table attempt_before`,
    sql`create index attempt_newest on attempt (target_id, at, id)`,
    sql`create index attempt_at on attempt (at)`,
    sql`drop table subscription`,
  ];
}
