import type { CalendarEvent, ResponseStatus } from '../model/index.ts';
import type { EventChange, EventPage, ProviderEvent, SlotStart } from './provider-event.ts';
import type { ProviderSession } from './provider-session.ts';

/** The calendar that events are read from or written to. */
export interface CalendarRef {
  readonly id: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly isPrimary: boolean;
  readonly isShared: boolean;
  readonly allowedOnlineMeetingProviders: readonly string[];
  readonly defaultOnlineMeetingProvider: string;
}

/** What to change of an event: undefined leaves, null clears. Dates are resolved: zones valid, end after start. */
export type EventPatch = {
  readonly [Field in
    | 'title'
    | 'description'
    | 'publicExtendedProperties'
    | 'privateExtendedProperties'
    | 'recurrence'
    | 'colorId'
    | 'customColor'
    | 'attendees'
    | 'visibility'
    | 'location'
    | 'conferenceData'
    | 'transparency'
    | 'eventType'
    | 'reminders'
    | 'generateMeetingUrlProvider']?: EventPatchFields[Field] | null;
} & {
  /** Both or neither. Forms as in EventContent, all-day without zone. */
  readonly start?: { readonly dateTime: string; readonly timeZone: string };
  readonly end?: { readonly dateTime: string; readonly timeZone: string };
  readonly isAllDay?: boolean;
  readonly isCancelled?: boolean;
};

interface EventPatchFields {
  readonly title: string;
  readonly description: string;
  /** A null value removes that one property. */
  readonly publicExtendedProperties: Readonly<Record<string, string | null>>;
  readonly privateExtendedProperties: Readonly<Record<string, string | null>>;
  readonly recurrence: readonly string[];
  readonly colorId: string;
  readonly customColor: string;
  readonly attendees: readonly {
    readonly email: string;
    readonly name?: string | null;
    /** Of somebody newly invited, where the provider lets the organizer write that down; nobody's answer is changed by it. */
    readonly responseStatus?: ResponseStatus;
    /** Left out: as it is, or required for somebody newly invited. */
    readonly kind?: 'required' | 'optional' | 'resource';
  }[];
  readonly visibility: CalendarEvent['visibility'];
  readonly location: string;
  readonly conferenceData: Readonly<Record<string, unknown>>;
  readonly transparency: CalendarEvent['transparency'];
  readonly eventType: CalendarEvent['eventType'];
  readonly reminders: CalendarEvent['reminders'];
  readonly generateMeetingUrlProvider: string;
}

/** An event to create: start and end are given. */
export type NewEvent = EventPatch & Required<Pick<EventPatch, 'start' | 'end'>>;

/** Which object to write to. */
export type EventTarget =
  | {
      readonly kind: 'event';
      readonly providerEventId: string;
      /** The stored event that the patch is laid over. */
      readonly current: ProviderEvent;
    }
  | {
      /** One slot of a series, whether it is an exception already or not. */
      readonly kind: 'occurrence';
      readonly seriesId: string;
      readonly originalStart: SlotStart;
      /** The slot as stored or computed, before the patch. `providerEventId` is empty when not known yet. */
      readonly current: ProviderEvent;
      readonly master: ProviderEvent;
    };

export interface WriteOptions {
  /** Provider tag that must still hold; 412 otherwise. For an occurrence that is no exception yet it is the master's. */
  readonly ifMatch?: string;
  /**
   * The attendees of a patch carry the answers they have given: they are written as they stand, also those of other guests.
   * For an occurrence that is made anew; only where `carriesAnswers`.
   */
  readonly keepsAnswers?: boolean;
}

export interface ProviderEvents {
  /** Whether an organizer can write the answers of guests, so that a copy of an event keeps them. @default false */
  readonly carriesAnswers?: boolean;
  /**
   * Yields every change since `token`, or everything there is when it is null, as pages arrive (never buffered whole).
   * Masters and exceptions unexpanded; no time bounds that the engine can see.
   * @throws ProviderError sync-token-expired (the caller starts again with null and sweeps)
   */
  pull(session: ProviderSession, calendar: CalendarRef, token: string | null): AsyncIterable<EventPage>;
  /**
   * What became of one object: its present state (a series whole), or `deleted`.
   * Never throws not-found for an event; @throws ProviderError not-found when the calendar is gone.
   */
  get(session: ProviderSession, calendar: CalendarRef, providerEventId: string): Promise<readonly EventChange[]>;
  /**
   * Creates it once: `requestId` (32 lower-case hex digits) makes a repetition find the first result.
   * Resolves with the state afterwards (a series whole). @throws ProviderError unsupported, naming `field`
   */
  create(
    session: ProviderSession,
    calendar: CalendarRef,
    input: NewEvent,
    options: { readonly requestId: string },
  ): Promise<readonly EventChange[]>;
  /** What `create` has made under this requestId, as it is now (a series whole); empty when there is nothing, or nothing any more. */
  findCreated(session: ProviderSession, calendar: CalendarRef, requestId: string): Promise<readonly EventChange[]>;
  /** Applies the patch and resolves with the state afterwards (of a series or an occurrence: the whole series). */
  update(
    session: ProviderSession,
    calendar: CalendarRef,
    target: EventTarget,
    patch: EventPatch,
    options: WriteOptions,
  ): Promise<readonly EventChange[]>;
  /** Resolves also when it was gone already. For an occurrence: cancels the slot; resolves with the series afterwards. */
  delete(
    session: ProviderSession,
    calendar: CalendarRef,
    target: EventTarget,
    options: WriteOptions,
  ): Promise<readonly EventChange[]>;
  /** Sets the account's own answer. @throws ProviderError forbidden when it is not invited or is the organizer */
  respond(
    session: ProviderSession,
    calendar: CalendarRef,
    target: EventTarget,
    response: ResponseStatus,
    options: WriteOptions,
  ): Promise<readonly EventChange[]>;
}
