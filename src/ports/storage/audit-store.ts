/** One entry of the audit log. */
export interface AuditEntry {
  readonly at: number;
  readonly applicationId: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
}

/** Keeps the audit log, which operators read with the database's own tools. */
export interface AuditStore {
  /** Appends an entry. It outlives the application and the account that it names. */
  append(entry: AuditEntry): Promise<void>;
}
