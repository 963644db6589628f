import type { NotifyAttendees } from 'kalends/model';
import type { CalendarRef } from 'kalends/ports';
import type { ReadContext } from './event-reading.ts';
import type { EventStore } from './event-store.ts';

/** Context of writes to one calendar. */
export interface UpdateContext {
  readonly store: EventStore;
  readonly calendar: CalendarRef;
  readonly read: ReadContext;
  /** The account's own address. */
  readonly ownAddress: string;
  /** Recipients of mail about the write. */
  readonly notifyAttendees?: NotifyAttendees | undefined;
}
