import type { ConnectedAccount } from '../../accounts/account-access.ts';
import type { CalendarRef, CollectionKey } from '../../ports/index.ts';

/** Where a write goes. */
export interface WritePlace {
  readonly account: ConnectedAccount;
  readonly key: CollectionKey;
  readonly calendar: CalendarRef;
}
