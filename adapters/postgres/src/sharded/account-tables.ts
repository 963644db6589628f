/** How the rows of a table are found that belong to an account, and in which order they are copied. */
export interface AccountTable {
  readonly name: string;
  /** Condition of the account's rows, by `$1`, its id; of leases also by `$2`, its application's. */
  readonly rows: string;
  /** Order in which they are read. @default any */
  readonly order?: string;
  /** Whether background work of other accounts may change them, so that a move locks them. */
  readonly isShared?: boolean;
}

const OF_ACCOUNT = 'account_id = $1';
const OF_TARGETS = 'target_id in (select id from kalends_target where account_id = $1)';
/** Leases of work on the account. An id has no colon. */
const LEASES = `(name = 'account:' || $1 or starts_with(name, 'import:' || $1 || ':')
  or starts_with(name, 'pull:' || $2 || ':' || $1 || ':') or starts_with(name, 'reconciliation:' || $2 || ':' || $1 || ':'))`;

/** Tables whose rows go with their account, in an order in which they can be inserted. */
export const ACCOUNT_TABLES: readonly AccountTable[] = [
  { name: 'kalends_collection', rows: OF_ACCOUNT, isShared: true },
  { name: 'kalends_revision_log', rows: OF_ACCOUNT },
  { name: 'kalends_item_version', rows: OF_ACCOUNT },
  { name: 'kalends_item_body', rows: OF_ACCOUNT },
  { name: 'kalends_provider_token', rows: OF_ACCOUNT },
  { name: 'kalends_reread', rows: OF_ACCOUNT, order: 'seq' },
  { name: 'kalends_unreadable_object', rows: OF_ACCOUNT },
  { name: 'kalends_seen_item', rows: OF_ACCOUNT },
  { name: 'kalends_schedule', rows: OF_ACCOUNT, isShared: true },
  { name: 'kalends_intent', rows: OF_ACCOUNT, isShared: true },
  { name: 'kalends_held_group', rows: OF_ACCOUNT },
  { name: 'kalends_import', rows: OF_ACCOUNT, isShared: true },
  { name: 'kalends_import_item', rows: OF_ACCOUNT },
  { name: 'kalends_channel', rows: OF_ACCOUNT, isShared: true },
  { name: 'kalends_target', rows: OF_ACCOUNT, isShared: true },
  { name: 'kalends_delivery', rows: OF_TARGETS, isShared: true },
  { name: 'kalends_message', rows: OF_TARGETS, order: 'seq', isShared: true },
  { name: 'kalends_attempt', rows: OF_TARGETS },
  { name: 'kalends_lease', rows: LEASES, isShared: true },
];

/** Tables with a column that counts within one database: a copied row gets the next number of the new one. */
export const NUMBERED_TABLES: readonly string[] = ['kalends_reread', 'kalends_message'];

/** Tables whose rows stay where they are, and why. */
export const OTHER_TABLES: Readonly<Record<string, 'home' | 'copy' | 'database'>> = {
  // In the home database, whichever account they are of.
  kalends_provider_config: 'home',
  kalends_api_key: 'home',
  kalends_feed: 'home',
  kalends_feed_calendar: 'home',
  kalends_used_state: 'home',
  kalends_credential: 'home',
  kalends_hold: 'home',
  kalends_hold_participant: 'home',
  kalends_assignment: 'home',
  kalends_audit_entry: 'home',
  kalends_call_budget: 'home',
  kalends_call_day: 'home',
  kalends_measurement: 'home',
  // In the home database, with a copy in the account's shard for foreign keys.
  kalends_application: 'copy',
  kalends_account: 'copy',
  kalends_account_place: 'copy',
  // Of each database.
  kalends_commit_mark: 'database',
  kalends_fact: 'database',
  kalends_migration: 'database',
  kalends_schema_lock: 'database',
};

/** Returns the account of a lease by its name; null for one that is no account's, which is in the home database. */
export function accountOfLease(name: string): string | null {
  const [, ofAccount, ofImport, ofPull] = LEASE.exec(name) ?? [];
  return ofAccount ?? ofImport ?? ofPull ?? null;
}

const LEASE = /^(?:account:([^:]+)|import:([^:]+):[^:]+|(?:pull|reconciliation):[^:]*:([^:]+):.*)$/s;
