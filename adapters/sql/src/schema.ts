import type { Generated } from 'kysely';

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
}

interface ProviderConfigTable {
  id: string;
  application_id: string;
  provider_type: string;
  client_id: string;
  wrapped_key: string;
  sealed_client_secret: string;
  settings: string;
  created_at: number;
  updated_at: number;
}

interface ApiKeyTable {
  id: string;
  application_id: string;
  name: string;
  hash: string;
  can_read_credentials: number;
  expires_at: number | null;
  revoked_at: number | null;
  created_at: number;
}

interface PendingAuthorizationTable {
  state_hash: string;
  application_id: string;
  provider_type: string;
  redirect_url: string;
  state: string | null;
  login_hint: string | null;
  external_id: string | null;
  cookie_hash: string;
  wrapped_key: string;
  sealed_verifier: string;
  nonce: string;
  expires_at: number;
}

interface AuditEntryTable {
  seq: Generated<number>;
  application_id: string;
  at: number;
  actor: string;
  action: string;
  target: string;
}

interface AccountTable {
  id: string;
  application_id: string;
  provider_type: string;
  provider_config_id: string;
  provider_account_id: string | null;
  email: string;
  /** The e-mail in lower case: identity and search disregard case. */
  email_key: string;
  external_id: string | null;
  external_key: string | null;
  authorized_scopes: string;
  status: 'ACTIVE' | 'EXPIRED';
  created_at: number;
  updated_at: number;
}

interface CredentialTable {
  id: string;
  application_id: string;
  account_id: string;
  wrapped_key: string;
  sealed_access_token: string;
  sealed_refresh_token: string;
  expires_at: number;
  status: 'ACTIVE' | 'EXPIRED' | 'REVOKED';
  version: number;
  created_at: number;
  updated_at: number;
}

interface CollectionTable {
  id: Generated<number>;
  application_id: string;
  account_id: string;
  calendar_id: string;
  revision: number;
  tag: string;
  time_zone: string;
  at: number;
  completed_at: number | null;
  purged_below: number;
  /** Versions that ended at or below this revision are gone; trails purged_below while a purge is under way. */
  cleaned_below: number;
  next_body: number;
  sweep_generation: number;
  /** The revision at which the running sweep began; null while none runs. */
  sweep_revision: number | null;
}

interface RevisionLogTable {
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
}

/** Numbered within its collection. The content never changes once written, what is private may. */
interface ItemBodyTable {
  collection_id: number;
  body: number;
  content: string;
  private_content: string | null;
}

interface ProviderTokenTable {
  collection_id: number;
  token: string;
}

interface RereadTable {
  seq: Generated<number>;
  collection_id: number;
  item_id: string;
}

interface SeenItemTable {
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
  synced_at: number | null;
  last_read_at: number | null;
  due_at: number | null;
  failures: number;
}

interface LeaseTable {
  name: string;
  epoch: number;
  leased_until: number;
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

interface SubscriptionTable {
  id: string;
  application_id: string;
  account_id: string;
  calendar_id: string | null;
  subscription_type: 'event' | 'calendar';
  provider_type: string;
  url: string;
  wrapped_key: string;
  sealed_secret: string;
  rate_limit: number | null;
  disabled_at: number | null;
  failing_since: number | null;
  created_at: number;
  updated_at: number;
}

/** The sending state of a subscription: the row that senders lock and claim. */
interface DeliveryTable {
  subscription_id: string;
  /** When a claim may find something; null while nothing waits. */
  due_at: number | null;
  /** The rate limit's earliest next send, in fractions of a millisecond. */
  next_send_at: number;
  epoch: number;
  leased_until: number;
}

interface MessageTable {
  seq: Generated<number>;
  id: string;
  application_id: string;
  subscription_id: string;
  event_type: string;
  /** Of the change. */
  changed_at: number;
  attempts: number;
  state: 'unattempted' | 'retrying' | 'delivered' | 'dead';
  /** Its place in line while it waits; null once it is delivered or dead. */
  place: number | null;
  retry_at: number;
  created_at: number;
}

interface AttemptTable {
  id: string;
  application_id: string;
  subscription_id: string;
  message_id: string;
  at: number;
  status: number | null;
  failure: string | null;
  latency_ms: number;
  excerpt: string;
}

interface MigrationTable {
  name: string;
}

/** Every table of a kalends database. Instants are epoch milliseconds, lists and objects JSON texts, booleans 0 or 1. */
export interface Tables {
  application: ApplicationTable;
  provider_config: ProviderConfigTable;
  api_key: ApiKeyTable;
  pending_authorization: PendingAuthorizationTable;
  audit_entry: AuditEntryTable;
  account: AccountTable;
  credential: CredentialTable;
  collection: CollectionTable;
  revision_log: RevisionLogTable;
  item_version: ItemVersionTable;
  item_body: ItemBodyTable;
  provider_token: ProviderTokenTable;
  reread: RereadTable;
  seen_item: SeenItemTable;
  schedule: ScheduleTable;
  lease: LeaseTable;
  channel: ChannelTable;
  subscription: SubscriptionTable;
  delivery: DeliveryTable;
  message: MessageTable;
  attempt: AttemptTable;
  kalends_migration: MigrationTable;
}
