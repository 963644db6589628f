import type { ActorType, CredentialRow } from 'kalends/ports';
import type { Generated } from 'kysely';
import type { HoldTables } from './hold-tables.ts';
import type { ImportItemTable, ImportTable } from './import-tables.ts';
import type { WebhookTables } from './webhook-tables.ts';

/** Calendar ids are provider ids and never empty: the empty one stands for the account's calendar list. */
export const CALENDAR_LIST = '';

/** `to_revision` of a version that has not ended. */
export const OPEN = Number.MAX_SAFE_INTEGER;

interface ApplicationTable {
  id: string;
  name: string;
  redirect_urls: string;
  created_at: number;
  updated_at: number;
  /** When its deletion began; null for a living application. */
  deleted_at: number | null;
}

interface ProviderConfigTable {
  id: string;
  application_id: string;
  provider_type: string;
  client_id: string;
  wrapped_key: string;
  sealed_client_secret: string;
  settings: string;
  scopes: string | null;
  secret_expires_at: number | null;
  created_at: number;
  updated_at: number;
}

interface ApiKeyTable {
  id: string;
  application_id: string;
  name: string;
  hash: string;
  can_read_credentials: number;
  is_read_only: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  created_at: number;
}

interface FeedTable {
  id: string;
  application_id: string;
  name: string;
  detail: string;
  hash: string;
  created_at: number;
}

interface FeedCalendarTable {
  account_id: string;
  calendar_id: string;
  feed_id: string;
  position: number;
}

interface UsedStateTable {
  state_hash: string;
  expires_at: number;
}

interface AuditEntryTable {
  id: string;
  at: number;
  application_id: string | null;
  actor_type: ActorType;
  actor_id: string | null;
  address: string | null;
  action: string;
  target: string;
  changed: string;
}

interface AccountTable {
  id: string;
  application_id: string;
  provider_type: string;
  /** Null without OAuth. */
  provider_config_id: string | null;
  provider_account_id: string | null;
  email: string;
  /** The e-mail in lower case: identity and search disregard case. One that is not verified has the person behind it. */
  email_key: string;
  external_id: string | null;
  external_key: string | null;
  authorized_scopes: string;
  status: 'ACTIVE' | 'EXPIRED';
  /** Collections created so far, of which the last has this number. */
  collections: Generated<number>;
  created_at: number;
  updated_at: number;
}

/** Where an account is, in a deployment over several databases. */
interface AccountPlaceTable {
  account_id: string;
  application_id: string;
  /** Name of its database. */
  shard: string;
  /** Database that it is being moved to. */
  moving_to: string | null;
  /** Database that it has come from, which may still have rows of it. */
  moved_from: string | null;
  /** Whether nothing may be written to the account in this database. */
  is_closed: Generated<number>;
  /** Raised by every move. */
  epoch: Generated<number>;
}

interface CredentialTable {
  id: string;
  application_id: string;
  account_id: string;
  /** Decides which of the next columns are set. */
  kind: CredentialRow['kind'];
  wrapped_key: string;
  sealed_access_token: string | null;
  sealed_refresh_token: string | null;
  sealed_credentials: string | null;
  /** Expiry of the access token. */
  expires_at: number | null;
  status: 'ACTIVE' | 'EXPIRED' | 'REVOKED';
  version: number;
  created_at: number;
  updated_at: number;
}

interface CollectionTable {
  /** Its number within its account, never given twice. */
  id: number;
  application_id: string;
  account_id: string;
  calendar_id: string;
  revision: number;
  tag: string;
  time_zone: string;
  at: number;
  completed_at: number | null;
  purged_below: number;
  /** Commits that brought something new from the provider; at least the revision. */
  write_count: Generated<number>;
  /** Versions that ended at or below this revision are gone; trails purged_below while a purge is under way. */
  cleaned_below: number;
  next_body: number;
  sweep_generation: number;
  /** The revision at which the running sweep began; null while none runs. */
  sweep_revision: number | null;
}

interface RevisionLogTable {
  account_id: string;
  collection_id: number;
  revision: number;
  at: number;
  tag: string;
  time_zone: string;
}

/**
 * One version of one item, valid from `from_revision` until before `to_revision`. The group's own item has the empty
 * `member`; a version without a body is a tombstone.
 */
interface ItemVersionTable {
  account_id: string;
  collection_id: number;
  group_id: string;
  member: string;
  from_revision: number;
  to_revision: number;
  body: number | null;
  etag: string;
  provider_tag: string | null;
  mapping_version: number;
  range_start: number | null;
  range_end: number | null;
  busy: Generated<string | null>;
  /** `write_count` of the collection when the provider last sent the item. */
  write_count: Generated<number>;
}

/** Numbered within its collection. The content never changes once written, what is private may. */
interface ItemBodyTable {
  account_id: string;
  collection_id: number;
  body: number;
  content: string;
  private_content: string | null;
}

interface ProviderTokenTable {
  account_id: string;
  collection_id: number;
  token: string;
}

interface RereadTable {
  /** Order of the rows in this database; a row that is copied to another one gets a new number. */
  seq: Generated<number>;
  account_id: string;
  collection_id: number;
  item_id: string;
  /** How often the id has been put on again. */
  times: Generated<number>;
}

/** An object of the provider's that cannot be read, or of which a part cannot. */
interface UnreadableObjectTable {
  account_id: string;
  collection_id: number;
  /** The provider's id; empty for objects without a usable one. */
  object_id: string;
  group_id: string;
  is_part: number;
  reason: string;
  since: number;
  /** Sweep in which it was last found. */
  generation: number;
}

interface SeenItemTable {
  account_id: string;
  collection_id: number;
  generation: number;
  item_id: string;
}

interface ScheduleTable {
  application_id: string;
  account_id: string;
  calendar_id: string;
  hint_seq: number;
  cleared_hint_seq: number;
  full_hint_seq: Generated<number>;
  synced_at: number | null;
  last_read_at: number | null;
  /** Longest time between two polls; null without polls. */
  poll_every_ms: number | null;
  unannounced_at: number | null;
  due_at: number | null;
  failures: number;
  /** Code of the public error of the latest pull that failed; null after a success. */
  error_code: string | null;
  error_at: number | null;
  repeats_left: Generated<number>;
  /** Whether the account can be worked on: its status, kept here for the index of what is due. */
  is_active: number;
  /** End of the account's cool-down, the same for all of its collections; `due_at` is never before it. */
  not_before: Generated<number>;
  /** Since when the provider has not shown the calendar; null while it does. */
  missing_since: number | null;
}

interface LeaseTable {
  name: string;
  epoch: number;
  /** Of a released lease the time of its release, negated. */
  leased_until: number;
}

interface IntentTable {
  id: string;
  application_id: string;
  account_id: string;
  calendar_id: string;
  collection_id: number;
  kind: 'create' | 'update' | 'delete' | 'respond' | 'series-edit';
  state: 'open' | 'lapsed' | 'done';
  group_ids: string;
  holds_new_items: number;
  data: string;
  idempotency_key: string | null;
  body_hash: string | null;
  created_at: number;
  epoch: number;
  leased_until: number;
  /** When an open one may be taken over by background work: not before its lease ends. Null when it is over. */
  due_at: number | null;
  result: string | null;
  result_revision: number | null;
  /** Until when one that is over is kept. */
  kept_until: number | null;
}

/** Groups that open intents hold. */
interface HeldGroupTable {
  account_id: string;
  collection_id: number;
  group_id: string;
  intent_id: string;
}

interface ChannelTable {
  id: string;
  application_id: string;
  account_id: string;
  calendar_id: string;
  provider_type: string;
  kind: 'push' | 'poll';
  provider_channel_id: string | null;
  resource_id: string | null;
  token_hash: string;
  address: string;
  expires_at: number;
  renew_at: number;
  created_at: number;
}

/** Calls that a shared budget held at a time; its gain since then is computed. */
interface CallBudgetTable {
  name: string;
  calls: number;
  at: number;
}

/** Calls that a client has used on its latest day, counted in days since 1970. */
interface CallDayTable {
  name: string;
  day: number;
  calls: number;
}

/** Sums of a series over a minute; provider and result are empty where it has none. */
interface MeasurementTable {
  minute_at: number;
  name: string;
  provider: string;
  result: string;
  count: number;
  sum: number;
  max: number;
}

/** Number of the last committed transaction that wrote this row, and when it did. */
interface CommitMarkTable {
  id: string;
  transactions: number;
  at: number;
}

interface MigrationTable {
  name: string;
}

/** Facts that all processes on the database must agree on, by name. */
interface FactTable {
  name: string;
  value: string;
}

/** Every table of a kalends database. Instants are epoch milliseconds, lists and objects JSON texts, booleans 0 or 1. */
export interface Tables extends HoldTables, WebhookTables {
  kalends_call_budget: CallBudgetTable;
  kalends_call_day: CallDayTable;
  kalends_measurement: MeasurementTable;
  kalends_commit_mark: CommitMarkTable;
  kalends_application: ApplicationTable;
  kalends_provider_config: ProviderConfigTable;
  kalends_api_key: ApiKeyTable;
  kalends_feed: FeedTable;
  kalends_feed_calendar: FeedCalendarTable;
  kalends_import: ImportTable;
  kalends_import_item: ImportItemTable;
  kalends_used_state: UsedStateTable;
  kalends_audit_entry: AuditEntryTable;
  kalends_account: AccountTable;
  kalends_account_place: AccountPlaceTable;
  kalends_credential: CredentialTable;
  kalends_collection: CollectionTable;
  kalends_revision_log: RevisionLogTable;
  kalends_item_version: ItemVersionTable;
  kalends_item_body: ItemBodyTable;
  kalends_provider_token: ProviderTokenTable;
  kalends_reread: RereadTable;
  kalends_unreadable_object: UnreadableObjectTable;
  kalends_seen_item: SeenItemTable;
  kalends_schedule: ScheduleTable;
  kalends_lease: LeaseTable;
  kalends_intent: IntentTable;
  kalends_held_group: HeldGroupTable;
  kalends_channel: ChannelTable;
  kalends_migration: MigrationTable;
  kalends_fact: FactTable;
}
