import { rangeClass } from '../mirror/range-index.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { holdTables } from './0001-hold-tables.ts';
import { importTables } from './0001-imports.ts';

/**
 * The schema of the first release. The key of a table that belongs to an account begins with the account's id, and
 * collections are numbered within their account, so that tables can be partitioned by account and an account can be
 * copied to another database.
 */
export function schema(ddl: Ddl): readonly string[] {
  return [
    ...tenancy(ddl),
    ...accounts(ddl),
    ...mirror(ddl),
    ...background(ddl),
    ...holdTables(ddl),
    ...webhooks(ddl),
    ...shared(ddl),
  ];
}

type Ddl = SqlDialect['ddl'];

function tenancy({ text, clustered }: Ddl): readonly string[] {
  return [
    `create table kalends_application (
      id ${text} primary key,
      name ${text} not null,
      redirect_urls ${text} not null,
      created_at bigint not null,
      updated_at bigint not null,
      deleted_at bigint
    )`,
    `create index kalends_application_created on kalends_application (created_at, id)`,
    `create index kalends_application_deleted on kalends_application (deleted_at) where deleted_at is not null`,
    `create table kalends_provider_config (
      id ${text} primary key,
      application_id ${text} not null references kalends_application (id) on delete cascade,
      provider_type ${text} not null,
      client_id ${text} not null,
      wrapped_key ${text} not null,
      sealed_client_secret ${text} not null,
      settings ${text} not null,
      scopes ${text},
      secret_expires_at bigint,
      created_at bigint not null,
      updated_at bigint not null,
      unique (application_id, provider_type)
    )`,
    // The keys that data keys are wrapped under: the first 11 characters name them (WRAPPING_NAME_LENGTH).
    `create index kalends_provider_config_wrapping on kalends_provider_config (substr(wrapped_key, 1, 11))`,
    `create index kalends_provider_config_expiry on kalends_provider_config (secret_expires_at) where secret_expires_at is not null`,
    `create table kalends_api_key (
      id ${text} primary key,
      application_id ${text} not null references kalends_application (id) on delete cascade,
      name ${text} not null,
      hash ${text} not null unique,
      can_read_credentials smallint not null,
      is_read_only smallint not null,
      expires_at bigint,
      revoked_at bigint,
      last_used_at bigint,
      created_at bigint not null
    )`,
    `create index kalends_api_key_created on kalends_api_key (application_id, created_at, id)`,
    `create table kalends_feed (
      id ${text} primary key,
      application_id ${text} not null references kalends_application (id) on delete cascade,
      name ${text} not null,
      detail ${text} not null,
      hash ${text} not null unique,
      created_at bigint not null
    )`,
    `create index kalends_feed_created on kalends_feed (application_id, created_at, id)`,
    `create table kalends_used_state (
      state_hash ${text} primary key,
      expires_at bigint not null
    ) ${clustered}`,
    `create index kalends_used_state_expiry on kalends_used_state (expires_at)`,
    `create table kalends_audit_entry (
      id ${text} primary key,
      at bigint not null,
      application_id ${text},
      actor_type ${text} not null,
      actor_id ${text},
      address ${text},
      action ${text} not null,
      target ${text} not null,
      changed ${text} not null
    )`,
    `create index kalends_audit_entry_newest on kalends_audit_entry (at, id)`,
    `create index kalends_audit_entry_application on kalends_audit_entry (application_id, at, id)`,
    `create index kalends_audit_entry_target on kalends_audit_entry (target, at, id)`,
  ];
}

function accounts({ text }: Ddl): readonly string[] {
  return [
    `create table kalends_account (
      id ${text} primary key,
      application_id ${text} not null references kalends_application (id) on delete cascade,
      provider_type ${text} not null,
      provider_config_id ${text},
      provider_account_id ${text},
      email ${text} not null,
      email_key ${text} not null,
      external_id ${text},
      external_key ${text},
      authorized_scopes ${text} not null,
      status ${text} not null,
      collections bigint not null default 0,
      created_at bigint not null,
      updated_at bigint not null,
      unique (application_id, provider_type, email_key),
      unique (application_id, provider_type, provider_account_id)
    )`,
    `create index kalends_account_created on kalends_account (application_id, created_at, id)`,
    `create index kalends_account_client on kalends_account (provider_config_id, id)`,
    `create table kalends_credential (
      account_id ${text} primary key references kalends_account (id) on delete cascade,
      id ${text} not null,
      application_id ${text} not null,
      kind ${text} not null,
      wrapped_key ${text} not null,
      sealed_access_token ${text},
      sealed_refresh_token ${text},
      sealed_credentials ${text},
      expires_at bigint,
      status ${text} not null,
      version bigint not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    `create table kalends_feed_calendar (
      account_id ${text} not null references kalends_account (id) on delete cascade,
      calendar_id ${text} not null,
      feed_id ${text} not null references kalends_feed (id) on delete cascade,
      position bigint not null,
      primary key (account_id, feed_id, calendar_id)
    )`,
    `create index kalends_feed_calendar_position on kalends_feed_calendar (feed_id, position)`,
    ...importTables(text),
    // For the pages of a change of secrets, which go through all accounts.
    `create index kalends_credential_id on kalends_credential (id)`,
    `create index kalends_credential_wrapping on kalends_credential (substr(wrapped_key, 1, 11))`,
  ];
}

function mirror({ text, clustered, numbered }: Ddl): readonly string[] {
  return [
    `create table kalends_collection (
      account_id ${text} not null references kalends_account (id),
      calendar_id ${text} not null,
      id bigint not null,
      application_id ${text} not null,
      revision bigint not null,
      write_count bigint not null default 0,
      tag ${text} not null,
      time_zone ${text} not null,
      at bigint not null,
      completed_at bigint,
      purged_below bigint not null,
      cleaned_below bigint not null,
      next_body bigint not null,
      sweep_generation bigint not null,
      sweep_revision bigint,
      primary key (account_id, calendar_id)
    )`,
    `create unique index kalends_collection_id on kalends_collection (account_id, id)`,
    `create table kalends_revision_log (
      account_id ${text} not null,
      collection_id bigint not null,
      revision bigint not null,
      at bigint not null,
      tag ${text} not null,
      time_zone ${text} not null,
      primary key (account_id, collection_id, revision)
    ) ${clustered}`,
    `create index kalends_revision_log_at on kalends_revision_log (at)`,
    `create table kalends_item_version (
      account_id ${text} not null,
      collection_id bigint not null,
      group_id ${text} not null,
      member ${text} not null,
      from_revision bigint not null,
      to_revision bigint not null,
      write_count bigint not null default 0,
      body bigint,
      etag ${text} not null,
      provider_tag ${text},
      mapping_version bigint not null,
      range_start bigint,
      range_end bigint,
      busy ${text},
      primary key (account_id, collection_id, group_id, member, from_revision)
    ) ${clustered}`,
    `create index kalends_item_version_touched
      on kalends_item_version (account_id, collection_id, from_revision, group_id)`,
    `create index kalends_item_version_member
      on kalends_item_version (account_id, collection_id, member, from_revision) where member <> ''`,
    // By class of length: of the items of a class, only those that begin shortly before a window can meet it.
    `create index kalends_item_version_range
      on kalends_item_version (account_id, collection_id, ${rangeClass.text}, range_start) where body is not null`,
    `create table kalends_item_body (
      account_id ${text} not null,
      collection_id bigint not null,
      body bigint not null,
      content ${text} not null,
      private_content ${text},
      primary key (account_id, collection_id, body)
    )`,
    `create table kalends_provider_token (
      account_id ${text} not null,
      collection_id bigint not null,
      token ${text} not null,
      primary key (account_id, collection_id)
    )`,
    `create table kalends_reread (
      seq ${numbered.column},
      account_id ${text} not null,
      collection_id bigint not null,
      item_id ${text} not null,
      times bigint not null default 0,
      ${numbered.key} (account_id, collection_id, item_id)
    )`,
    `create index kalends_reread_oldest on kalends_reread (account_id, collection_id, seq)`,
    `create table kalends_unreadable_object (
      account_id ${text} not null,
      collection_id bigint not null,
      object_id ${text} not null,
      group_id ${text} not null,
      is_part smallint not null,
      reason ${text} not null,
      since bigint not null,
      generation bigint not null,
      primary key (account_id, collection_id, object_id)
    ) ${clustered}`,
    `create index kalends_unreadable_object_group on kalends_unreadable_object (account_id, collection_id, group_id)`,
    `create table kalends_seen_item (
      account_id ${text} not null,
      collection_id bigint not null,
      generation bigint not null,
      item_id ${text} not null,
      primary key (account_id, collection_id, generation, item_id)
    ) ${clustered}`,
  ];
}

function background({ text, clustered }: Ddl): readonly string[] {
  return [
    `create table kalends_schedule (
      account_id ${text} not null references kalends_account (id) on delete cascade,
      calendar_id ${text} not null,
      application_id ${text} not null,
      hint_seq bigint not null,
      cleared_hint_seq bigint not null,
      full_hint_seq bigint not null default 0,
      synced_at bigint,
      last_read_at bigint,
      poll_every_ms bigint,
      unannounced_at bigint,
      due_at bigint,
      failures bigint not null,
      error_code ${text},
      error_at bigint,
      repeats_left bigint not null default 0,
      is_active smallint not null default 1,
      not_before bigint not null default 0,
      missing_since bigint,
      primary key (account_id, calendar_id)
    )`,
    `create index kalends_schedule_ready on kalends_schedule (is_active, due_at, account_id)`,
    `create table kalends_intent (
      account_id ${text} not null references kalends_account (id) on delete cascade,
      id ${text} not null,
      application_id ${text} not null,
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
      primary key (account_id, id),
      unique (application_id, idempotency_key)
    )`,
    `create index kalends_intent_id on kalends_intent (id)`,
    `create index kalends_intent_collection on kalends_intent (account_id, collection_id)`,
    `create index kalends_intent_due on kalends_intent (due_at)`,
    `create index kalends_intent_kept on kalends_intent (kept_until)`,
    `create table kalends_held_group (
      account_id ${text} not null,
      collection_id bigint not null,
      group_id ${text} not null,
      intent_id ${text} not null,
      primary key (account_id, collection_id, group_id),
      foreign key (account_id, intent_id) references kalends_intent (account_id, id) on delete cascade
    ) ${clustered}`,
    `create index kalends_held_group_intent on kalends_held_group (account_id, intent_id)`,
    `create table kalends_channel (
      account_id ${text} not null references kalends_account (id) on delete cascade,
      id ${text} not null,
      application_id ${text} not null,
      calendar_id ${text} not null,
      provider_type ${text} not null,
      kind ${text} not null,
      provider_channel_id ${text},
      resource_id ${text},
      token_hash ${text} not null,
      address ${text} not null,
      expires_at bigint not null,
      renew_at bigint not null,
      created_at bigint not null,
      primary key (account_id, id)
    )`,
    // A notification names the channel alone.
    `create index kalends_channel_id on kalends_channel (id)`,
    `create index kalends_channel_collection on kalends_channel (account_id, calendar_id)`,
    `create index kalends_channel_renewal on kalends_channel (renew_at)`,
  ];
}

function webhooks({ text, identity, clustered }: Ddl): readonly string[] {
  return [
    `create table kalends_target (
      id ${text} primary key,
      application_id ${text} not null references kalends_application (id) on delete cascade,
      account_id ${text} references kalends_account (id) on delete cascade,
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
      ended_at bigint,
      failing_since bigint,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    `create index kalends_target_wrapping on kalends_target (substr(wrapped_key, 1, 11))`,
    `create index kalends_target_account on kalends_target (account_id, created_at, id)`,
    `create index kalends_target_application on kalends_target (application_id, created_at, id)`,
    `create index kalends_target_endpoint on kalends_target (application_id, created_at, id) where account_id is null`,
    `create table kalends_delivery (
      target_id ${text} primary key references kalends_target (id) on delete cascade,
      application_id ${text} not null,
      host ${text} not null,
      due_at bigint,
      next_send_at double precision not null,
      spacing_ms double precision not null,
      epoch bigint not null,
      leased_until bigint not null
    ) ${clustered}`,
    `create index kalends_delivery_due on kalends_delivery (due_at)`,
    // Lanes of the targets that wait: the others are most.
    `create index kalends_delivery_lane on kalends_delivery (application_id, host, due_at, target_id)
      where due_at is not null`,
    `create table kalends_message (
      seq ${identity},
      id ${text} not null unique,
      application_id ${text} not null,
      target_id ${text} not null references kalends_target (id) on delete cascade,
      event_type ${text} not null,
      changed_at bigint not null,
      data ${text},
      attempts bigint not null,
      state ${text} not null,
      place bigint,
      retry_at bigint not null,
      created_at bigint not null
    )`,
    `create index kalends_message_line on kalends_message (target_id, place) where place is not null`,
    `create index kalends_message_target on kalends_message (target_id, created_at)`,
    `create index kalends_message_created on kalends_message (created_at)`,
    `create table kalends_attempt (
      target_id ${text} not null references kalends_target (id) on delete cascade,
      at bigint not null,
      id ${text} not null,
      application_id ${text} not null,
      message_id ${text} not null,
      event_type ${text} not null,
      status bigint,
      failure ${text},
      latency_ms double precision not null,
      excerpt ${text} not null,
      outcome ${text} not null,
      primary key (target_id, at, id)
    ) ${clustered}`,
    `create index kalends_attempt_at on kalends_attempt (at)`,
    // Attempts that may quote a person's data, removed with their messages.
    `create index kalends_attempt_account on kalends_attempt (message_id) where event_type like 'enduseraccount.%'`,
  ];
}

function shared({ text, clustered }: Ddl): readonly string[] {
  return [
    `create table kalends_lease (
      name ${text} primary key,
      epoch bigint not null,
      leased_until bigint not null
    )`,
    `create index kalends_lease_end on kalends_lease (leased_until)`,
    `create table kalends_call_budget (
      name ${text} primary key,
      calls double precision not null,
      at bigint not null
    )`,
    `create index kalends_call_budget_at on kalends_call_budget (at)`,
    `create table kalends_call_day (
      name ${text} primary key,
      day bigint not null,
      calls bigint not null
    )`,
    `create table kalends_commit_mark (
      id ${text} primary key,
      transactions bigint not null,
      at bigint not null
    )`,
    `create table kalends_measurement (
      minute_at bigint not null,
      name ${text} not null,
      provider ${text} not null,
      result ${text} not null,
      count bigint not null,
      sum double precision not null,
      max double precision not null,
      primary key (minute_at, name, provider, result)
    ) ${clustered}`,
    `create table kalends_fact (name ${text} primary key, value ${text} not null)`,
  ];
}
