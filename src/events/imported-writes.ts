import type { Caller, EventCreateRequest, EventService } from '../engine-interface.ts';
import type { PrintableGroup } from '../icalendar/index.ts';
import type { CalendarEvent, EventCreate } from '../model/index.ts';
import type { CalendarRef, ProviderCapabilities } from '../ports/index.ts';

/** How the provider finds an event that was created. */
export interface CreationKey {
  readonly requestId: string;
  /** Kept by the event, where its calendar can. */
  readonly iCalUid?: string;
}

/** The outcome of a creation under a key. */
export type CreatedUnderKey =
  | { readonly kind: 'none' }
  | { readonly kind: 'present'; readonly eventId: string }
  /** It is gone since. */
  | { readonly kind: 'deleted' };

/** Calls about events that imports and holds make, beside those of the interface. */
export interface ImportedWrites {
  /** Creates an event. With a key, the provider finds the event that an earlier call with it created, however long ago. */
  create(
    caller: Caller,
    accountId: string,
    calendarId: string,
    body: EventCreate,
    request?: EventCreateRequest & Partial<CreationKey>,
  ): Promise<CalendarEvent>;
  /** Asks the provider whether an event was created under a key. */
  findCreated(caller: Caller, accountId: string, calendarId: string, key: CreationKey): Promise<CreatedUnderKey>;
  /** Returns what a calendar can hold, and whose it is. @throws KalendsError CalendarReadOnly */
  capabilities(
    caller: Caller,
    accountId: string,
    calendarId: string,
  ): Promise<{ readonly limits: ProviderCapabilities; readonly calendar: CalendarRef; readonly email: string }>;
  /** Yields the events of a calendar, each series whole with its exceptions and the id of its event. */
  groups(
    caller: Caller,
    accountId: string,
    calendarId: string,
  ): AsyncGenerator<PrintableGroup & { readonly eventId: string }, void, undefined>;
}

/** The events as imports write them. */
export type ImportTarget = ImportedWrites & Pick<EventService, 'get' | 'list' | 'check' | 'update' | 'delete'>;
