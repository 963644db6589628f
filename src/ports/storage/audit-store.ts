/**
 * Kinds of actors: an API key, a caller of the admin interface, a command on the database's host, the embedding application,
 * a person in the authorization flow, kalends itself.
 */
export type ActorType = 'key' | 'admin' | 'command' | 'embedded' | 'flow' | 'system';

/** One entry of the audit log. It holds ids and names of fields, never their values. */
export interface AuditRow {
  readonly id: string;
  readonly at: number;
  /** Null for what concerns no single application. */
  readonly applicationId: string | null;
  readonly actorType: ActorType;
  /** The API key, operator or user of the operating system; null when the type says it all. */
  readonly actorId: string | null;
  /** The client's IP address; null when there was none, or when it is a person's own. */
  readonly address: string | null;
  /** Such as `apiKey.revoked`. */
  readonly action: string;
  /** Id of what was changed or read. */
  readonly target: string;
  /** Names of the fields that were given. */
  readonly changed: readonly string[];
}

/** Selects entries; all that are given must hold. */
export interface AuditFilter {
  readonly applicationId?: string;
  readonly actorType?: ActorType;
  readonly actorId?: string;
  readonly action?: string;
  readonly target?: string;
  /** Entries from this time on. */
  readonly from?: number;
  /** Entries before this time. */
  readonly to?: number;
}

/** Place of an entry in the log's order. */
export type AuditPlace = Pick<AuditRow, 'at' | 'id'>;

/**
 * Keeps the audit log. Most entries are written by the store methods that change what they tell of, in the same transaction.
 * Entries outlive the applications and accounts that they name.
 */
export interface AuditStore {
  append(entry: AuditRow): Promise<void>;
  /** Newest first, then by id, descending. */
  list(
    filter: AuditFilter,
    page: { readonly after?: AuditPlace; readonly limit: number },
  ): Promise<readonly AuditRow[]>;
  /** Removes up to `limit` entries older than `before`; resolves with their number. */
  purge(before: number, limit: number): Promise<number>;
}
