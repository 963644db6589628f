import type { AccountStatus } from '../../model/index.ts';
import type { AuditRow } from './audit-store.ts';
import type { MessageRow } from './webhook-stores.ts';

/** A change that a storage tells of once it is committed. */
export type Committed =
  /** A new message in the outbox. One that is merged into a waiting message is no new one. */
  | {
      readonly kind: 'message';
      readonly message: Pick<MessageRow, 'id' | 'applicationId' | 'targetId' | 'eventType'>;
    }
  /** A new entry of the audit log. */
  | { readonly kind: 'audit'; readonly entry: AuditRow }
  /** A new status of an account: its first one included, null for its end. */
  | {
      readonly kind: 'account-status';
      readonly applicationId: string;
      readonly accountId: string;
      readonly status: AccountStatus | null;
    };

/** Tells of what this process has committed through this storage. */
export interface StorageCommits {
  /**
   * Calls the listener until the returned function is called: with each change exactly once, after its commit and before the
   * method that made it resolves, those of one transaction in the order in which they were made. What was rolled back is never
   * told. A listener must not throw.
   */
  subscribe(listener: (change: Committed) => void): () => void;
}
