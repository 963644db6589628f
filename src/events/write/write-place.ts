import type { ConnectedAccount } from '../../accounts/index.ts';
import type { NotifyAttendees } from '../../model/index.ts';
import type { CalendarRef, CollectionKey, ProviderSession } from '../../ports/index.ts';

/** Where a write goes. */
export interface WritePlace {
  readonly account: ConnectedAccount;
  readonly key: CollectionKey;
  readonly calendar: CalendarRef;
  /** Of the operation that writes. */
  readonly session: ProviderSession;
  /** Recipients of mail about the writes of the operation. */
  readonly notifyAttendees?: NotifyAttendees | undefined;
}
