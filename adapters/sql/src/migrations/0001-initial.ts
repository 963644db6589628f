import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';

/** The first schema. */
export function initialSchema({ ddl }: SqlDialect): readonly RawBuilder<unknown>[] {
  const { text, identity, clustered } = ddl;
  return [
    sql`create table application (
      id ${text} primary key,
      name ${text} not null,
      redirect_urls ${text} not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    sql`create index application_created on application (created_at, id)`,
    sql`create table provider_config (
      id ${text} primary key,
      application_id ${text} not null references application (id) on delete cascade,
      provider_type ${text} not null,
      client_id ${text} not null,
      wrapped_key ${text} not null,
      sealed_client_secret ${text} not null,
      settings ${text} not null,
      created_at bigint not null,
      updated_at bigint not null,
      unique (application_id, provider_type)
    )`,
    sql`create table api_key (
      id ${text} primary key,
      application_id ${text} not null references application (id) on delete cascade,
      name ${text} not null,
      hash ${text} not null unique,
      can_read_credentials smallint not null,
      expires_at bigint,
      revoked_at bigint,
      created_at bigint not null
    )`,
    sql`create index api_key_created on api_key (application_id, created_at, id)`,
    sql`create table pending_authorization (
      state_hash ${text} primary key,
      application_id ${text} not null references application (id) on delete cascade,
      provider_type ${text} not null,
      redirect_url ${text} not null,
      state ${text},
      login_hint ${text},
      external_id ${text},
      cookie_hash ${text} not null,
      wrapped_key ${text} not null,
      sealed_verifier ${text} not null,
      nonce ${text} not null,
      expires_at bigint not null
    )`,
    sql`create index pending_authorization_expiry on pending_authorization (expires_at)`,
    sql`create index pending_authorization_application on pending_authorization (application_id)`,
    sql`create table audit_entry (
      seq ${identity},
      application_id ${text} not null,
      at bigint not null,
      actor ${text} not null,
      action ${text} not null,
      target ${text} not null
    )`,
    sql`create index audit_entry_newest on audit_entry (application_id, seq)`,

    sql`create table account (
      id ${text} primary key,
      application_id ${text} not null references application (id) on delete cascade,
      provider_type ${text} not null,
      provider_config_id ${text} not null,
      provider_account_id ${text},
      email ${text} not null,
      email_key ${text} not null,
      external_id ${text},
      external_key ${text},
      authorized_scopes ${text} not null,
      status ${text} not null,
      created_at bigint not null,
      updated_at bigint not null,
      unique (application_id, provider_type, email_key),
      unique (application_id, provider_type, provider_account_id)
    )`,
    sql`create index account_created on account (application_id, created_at, id)`,
    sql`create table credential (
      id ${text} primary key,
      application_id ${text} not null,
      account_id ${text} not null unique references account (id) on delete cascade,
      wrapped_key ${text} not null,
      sealed_access_token ${text} not null,
      sealed_refresh_token ${text} not null,
      expires_at bigint not null,
      status ${text} not null,
      version bigint not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,

    sql`create table collection (
      id ${identity},
      application_id ${text} not null,
      account_id ${text} not null references account (id),
      calendar_id ${text} not null,
      revision bigint not null,
      tag ${text} not null,
      time_zone ${text} not null,
      at bigint not null,
      completed_at bigint,
      purged_below bigint not null,
      cleaned_below bigint not null,
      next_body bigint not null,
      sweep_generation bigint not null,
      sweep_revision bigint,
      unique (account_id, calendar_id)
    )`,
    sql`create table revision_log (
      collection_id bigint not null,
      revision bigint not null,
      at bigint not null,
      tag ${text} not null,
      time_zone ${text} not null,
      primary key (collection_id, revision)
    ) ${clustered}`,
    sql`create index revision_log_at on revision_log (at)`,
    sql`create table item_version (
      collection_id bigint not null,
      group_id ${text} not null,
      member ${text} not null,
      from_revision bigint not null,
      to_revision bigint not null,
      body bigint,
      etag ${text} not null,
      provider_tag ${text},
      mapping_version bigint not null,
      range_start bigint,
      range_end bigint,
      primary key (collection_id, group_id, member, from_revision)
    ) ${clustered}`,
    sql`create index item_version_touched on item_version (collection_id, from_revision, group_id)`,
    sql`create index item_version_member on item_version (collection_id, member, from_revision) where member <> ''`,
    sql`create table item_body (
      collection_id bigint not null,
      body bigint not null,
      content ${text} not null,
      primary key (collection_id, body)
    )`,
    sql`create table provider_token (
      collection_id bigint not null primary key,
      token ${text} not null
    )`,
    sql`create table reread (
      seq ${identity},
      collection_id bigint not null,
      item_id ${text} not null,
      unique (collection_id, item_id)
    )`,
    sql`create index reread_oldest on reread (collection_id, seq)`,
    sql`create table seen_item (
      collection_id bigint not null,
      generation bigint not null,
      item_id ${text} not null,
      primary key (collection_id, generation, item_id)
    ) ${clustered}`,

    sql`create table schedule (
      application_id ${text} not null,
      account_id ${text} not null references account (id) on delete cascade,
      calendar_id ${text} not null,
      hint_seq bigint not null,
      cleared_hint_seq bigint not null,
      synced_at bigint,
      last_read_at bigint,
      due_at bigint,
      failures bigint not null,
      primary key (account_id, calendar_id)
    )`,
    sql`create index schedule_due on schedule (due_at)`,
    sql`create table lease (
      name ${text} primary key,
      epoch bigint not null,
      leased_until bigint not null
    )`,
    sql`create index lease_end on lease (leased_until)`,
    sql`create table channel (
      id ${text} primary key,
      application_id ${text} not null,
      account_id ${text} not null references account (id) on delete cascade,
      calendar_id ${text} not null,
      provider_type ${text} not null,
      kind ${text} not null,
      provider_channel_id ${text},
      resource_id ${text},
      token_hash ${text} not null,
      address ${text} not null,
      expires_at bigint not null,
      renew_at bigint not null,
      created_at bigint not null
    )`,
    sql`create index channel_collection on channel (account_id, calendar_id)`,
    sql`create index channel_provider on channel (provider_channel_id)`,
    sql`create index channel_renewal on channel (renew_at)`,

    sql`create table subscription (
      id ${text} primary key,
      application_id ${text} not null,
      account_id ${text} not null references account (id) on delete cascade,
      calendar_id ${text},
      subscription_type ${text} not null,
      provider_type ${text} not null,
      url ${text} not null,
      wrapped_key ${text} not null,
      sealed_secret ${text} not null,
      rate_limit double precision,
      disabled_at bigint,
      failing_since bigint,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    sql`create index subscription_created on subscription (account_id, created_at, id)`,
    sql`create table delivery (
      subscription_id ${text} primary key references subscription (id) on delete cascade,
      due_at bigint,
      next_send_at double precision not null,
      epoch bigint not null,
      leased_until bigint not null
    )`,
    sql`create index delivery_due on delivery (due_at)`,
    sql`create table message (
      seq ${identity},
      id ${text} not null unique,
      application_id ${text} not null,
      subscription_id ${text} not null references subscription (id) on delete cascade,
      event_type ${text} not null,
      changed_at bigint not null,
      attempts bigint not null,
      state ${text} not null,
      place bigint,
      retry_at bigint not null,
      created_at bigint not null
    )`,
    sql`create index message_line on message (subscription_id, place)`,
    sql`create index message_created on message (created_at)`,
    sql`create table attempt (
      id ${text} primary key,
      application_id ${text} not null,
      subscription_id ${text} not null references subscription (id) on delete cascade,
      message_id ${text} not null,
      at bigint not null,
      status bigint,
      failure ${text},
      latency_ms double precision not null,
      excerpt ${text} not null
    )`,
    sql`create index attempt_newest on attempt (subscription_id, at, id)`,
    sql`create index attempt_at on attempt (at)`,
  ];
}
