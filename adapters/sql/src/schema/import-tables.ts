/** Imports under way, and those that are over. */
export interface ImportTable {
  id: string;
  application_id: string;
  account_id: string;
  calendar_id: string;
  state: string;
  is_dry_run: number;
  frame: string;
  problems: string;
  error_code: string | null;
  created_at: number;
  finished_at: number | null;
  /** When a process may look at it; null when it is over. */
  due_at: number | null;
}

/** The events of a file, by UID. */
export interface ImportItemTable {
  account_id: string;
  import_id: string;
  uid_key: string;
  uid: string;
  /** Empty once it is settled. */
  components: string;
  is_too_long: number;
  event_id: string | null;
  failures: number;
  state: string;
  /** Null without any; an empty list while the import creates the event of an item that waits. */
  problems: string | null;
}
