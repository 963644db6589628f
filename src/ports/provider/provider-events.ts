import type {
  CalendarEvent,
  DescriptionFormat,
  EventAttachment,
  ExtensionField,
  LocationDetails,
  NotifyAttendees,
  ResponseStatus,
} from '../../model/index.ts';
import type { EventChange, EventPage, ProviderEvent, RecurrenceId, Untold } from './provider-event.ts';
import type { ProviderSession } from './provider-session.ts';

/** Calendar of a read or write. */
export interface CalendarRef {
  readonly id: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly isPrimary: boolean;
  readonly isShared: boolean;
  /** As of `ProviderCalendar`. */
  readonly inviteEmail: string;
  readonly allowedOnlineMeetingProviders: readonly string[];
  readonly defaultOnlineMeetingProvider: string;
}

/** Changes to an event: undefined keeps, null clears. Times are resolved: valid zones, end after start. */
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
    | 'generateMeetingUrlProvider'
    | ExtensionField]?: EventPatchFields[Field] | null;
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
    /** Response of a newly invited attendee, where the organizer may set it. Never changes a given response. */
    readonly responseStatus?: ResponseStatus;
    /** Absent: unchanged, or required for a newly invited attendee. */
    readonly kind?: CalendarEvent['attendees'][number]['kind'];
  }[];
  readonly visibility: CalendarEvent['visibility'];
  readonly location: string;
  readonly conferenceData: Readonly<Record<string, unknown>>;
  readonly transparency: CalendarEvent['transparency'];
  readonly eventType: CalendarEvent['eventType'];
  readonly reminders: CalendarEvent['reminders'];
  readonly generateMeetingUrlProvider: string;
  readonly status: CalendarEvent['status'];
  /** Writes transparency, status and event type as `availabilityAs` says; those in the patch agree with it. */
  readonly showAs: CalendarEvent['showAs'];
  readonly categories: readonly string[];
  readonly locationDetails: LocationDetails;
  readonly guestsCanModify: boolean;
  readonly guestsCanInviteOthers: boolean;
  readonly guestsCanSeeOtherGuests: boolean;
  readonly allowNewTimeProposals: boolean;
}

/** An event to create: start and end are given. */
export type NewEvent = EventPatch & Required<Pick<EventPatch, 'start' | 'end'>>;

/** A series, and the slot with which another one takes its place. */
export interface ContinuedSeries {
  readonly seriesId: string;
  readonly recurrenceId: RecurrenceId;
  /** Its modified occurrences that the other one has too, by their provider ids, and their slots in that one. */
  readonly exceptions: readonly { readonly providerEventId: string; readonly recurrenceId: RecurrenceId }[];
}

/** Object of a write. */
export type EventTarget =
  | {
      readonly kind: 'event';
      readonly providerEventId: string;
      /** The stored event that the patch applies to. */
      readonly current: ProviderEvent;
    }
  | {
      /** One slot of a series, whether it is an exception already or not. */
      readonly kind: 'occurrence';
      readonly seriesId: string;
      readonly recurrenceId: RecurrenceId;
      /** The slot as stored or computed, before the patch. `providerEventId` is empty when unknown. */
      readonly current: ProviderEvent;
      readonly master: ProviderEvent;
    };

/** Mail about a write. */
export interface NotifyOptions {
  /**
   * Recipients of the provider's mail. Left out, guests get mail about a change of what they see, and about no other.
   * @throws ProviderError unsupported, naming `notifyAttendees`, where the provider sends mail that it cannot withhold
   */
  readonly notifyAttendees?: NotifyAttendees | undefined;
}

export interface WriteOptions extends NotifyOptions {
  /** Provider tag that must still match, else precondition-failed. For an occurrence without an exception, the master's. */
  readonly ifMatch?: string;
  /**
   * Writes the attendees' responses in the patch as they are, those of other guests included. Used when an occurrence is
   * recreated; only where `carriesAnswers`.
   */
  readonly keepsAnswers?: boolean;
  /** Parts that a recreated occurrence had beside its fields (`ProviderEvent.untold`); null for those that its series alone has. */
  readonly untold?: Untold | undefined;
  /**
   * The slot of a series that becomes the first one by new times and a new rule: from it, its exceptions measure how far they
   * move. @default its first slot
   */
  readonly began?: RecurrenceId | undefined;
}

export interface RespondOptions extends WriteOptions {
  /** Undefined leaves a comment that is there, null removes it. */
  readonly comment?: string | null | undefined;
}

/** An event's id with its tag at the provider. */
export interface EventTag {
  readonly providerEventId: string;
  readonly providerTag: string | null;
}

/** Knowledge of the engine that saves calls of an incremental pull. A provider may ignore it. */
export interface PullKnowledge {
  /**
   * Returns the provider tags of mirrored objects by their provider ids: of single events and series masters with these ids,
   * and of all exceptions of these series. An object in the version of its tag need not be reported again.
   */
  tagsOf(providerEventIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Lists the provider ids of all mirrored events and series, page by page, for an answer that names what there is and not what
   * has gone. Records that are kept locally may be among them.
   */
  listIds(): AsyncIterable<readonly string[]>;
  /**
   * Given for polls. Of several sources of changes, those asked since this instant may be left out, except the one asked
   * longest ago; the last page then has `completeAt`.
   */
  readonly askedSince?: number;
  /**
   * Given for polls without push. An answer about several calendars that was asked since this instant may be used for this one
   * too; the last page then has `completeAt`.
   */
  readonly sharedSince?: number;
  /** Pulls of this calendar that have failed in a row, in whichever process, just before this one. @default 0 */
  readonly failures?: number;
}

/** Of a read of one object. */
export interface GetOptions {
  /** The id named a series when it was last read: a guess that may save a call, and may be wrong. */
  readonly isSeries?: boolean;
  /**
   * The object should be gone: only a list of the calendar proves that it is not. Where ids outlive a move to another folder,
   * such as that of deleted items, a read by id finds it there.
   */
  readonly mustBeListed?: boolean;
}

export interface ProviderEvents {
  /** Whether an organizer can write guests' responses, so that a copy of an event keeps them. @default false */
  readonly carriesAnswers?: boolean;
  /**
   * Sources of changes that an incremental pull asks, one call each when there is nothing new. The interval of polls behind
   * push is so many times as long, and each source is asked once in it. @default 1
   */
  readonly callsPerPull?: number;
  /**
   * Yields every change since `token`, or all events when it is null, as pages arrive (never buffered whole).
   * Masters and exceptions unexpanded; no time bounds that the engine can see. An object that cannot be read is yielded as
   * `unreadable` and costs no other.
   * @throws ProviderError sync-token-expired (the caller starts again with null and sweeps)
   */
  pull(
    session: ProviderSession,
    calendar: CalendarRef,
    token: string | null,
    known?: PullKnowledge,
  ): AsyncIterable<EventPage>;
  /**
   * Yields the provider tags of all events of the calendar, as pages arrive: single events and series masters, whose tag
   * changes with each change of the event. A series of which there are single occurrences alone, in one object, may be among them with the
   * tag that each of these has. Offered by a provider whose full pull takes many more calls; reconciliation then
   * reads only the events with another tag.
   */
  listTags?(session: ProviderSession, calendar: CalendarRef): AsyncIterable<readonly EventTag[]>;
  /**
   * Returns the present state of one object (a series whole), `deleted` or `unreadable`. Never throws for these. Exceptions that may
   * outlive a deleted series are named by `exceptionsMayStay`.
   * @throws ProviderError not-found when the calendar is gone
   */
  get(
    session: ProviderSession,
    calendar: CalendarRef,
    providerEventId: string,
    options?: GetOptions,
  ): Promise<readonly EventChange[]>;
  /**
   * Returns the attachments of an object, all of them, without their content. Those of a slot that is no exception are its
   * master's. @throws ProviderError not-found when the object or the calendar is gone
   */
  listAttachments(
    session: ProviderSession,
    calendar: CalendarRef,
    providerEventId: string,
  ): Promise<readonly EventAttachment[]>;
  /**
   * Returns the description of an object in a format, empty without one. It is the provider's own, however long, with what the provider
   * adds to it. That of a slot that is no exception is its master's.
   * @throws ProviderError not-found when the object or the calendar is gone
   */
  getDescription(
    session: ProviderSession,
    calendar: CalendarRef,
    providerEventId: string,
    format: DescriptionFormat,
  ): Promise<string>;
  /**
   * Creates an event once: a repetition with the same `requestId` (32 lower-case hex digits) finds the first result.
   * `iCalUid` is the UID that the event has elsewhere, of a type in `keepsUidOf`: a calendar has it once at most, so that a repetition may
   * write the event again, and one that was deleted may return.
   * With `continues` the event goes on with that series from a slot on. A provider may take from it what no field tells, and exceptions,
   * which the engine gives the rest of what they are to have. A first occurrence that was cancelled stays so, unless `input` says
   * `isCancelled: false`.
   * Resolves with the resulting state (a series whole). @throws ProviderError unsupported, naming `field`
   */
  create(
    session: ProviderSession,
    calendar: CalendarRef,
    input: NewEvent,
    options: {
      readonly requestId: string;
      readonly iCalUid?: string | undefined;
      readonly continues?: ContinuedSeries | undefined;
    } & NotifyOptions,
  ): Promise<readonly EventChange[]>;
  /**
   * Makes the checks of `create` that need no request. A provider without it refuses nothing before it is asked.
   * @throws ProviderError unsupported or invalid, naming `field`
   */
  check?(session: ProviderSession, calendar: CalendarRef, input: NewEvent, options: NotifyOptions): Promise<void>;
  /**
   * Returns the present state of the event created under this requestId, and iCalUid where it was given (a series whole), as
   * `unreadable` when it cannot be read; empty when there is none. `deleted` where it is gone and the requestId can create no other.
   */
  findCreated(
    session: ProviderSession,
    calendar: CalendarRef,
    requestId: string,
    iCalUid?: string,
  ): Promise<readonly EventChange[]>;
  /**
   * Applies the patch and resolves with the resulting state (for a series or an occurrence: the whole series). `isCancelled: true` deletes an
   * event or a series, as `delete` does, and cancels an occurrence; false brings a cancelled occurrence back, where `restorable`.
   * @throws ProviderError unsupported or invalid, naming `field`, also `recurrence` of an occurrence; not-found for an object that is
   * gone and a slot that the series does not have; precondition-failed
   */
  update(
    session: ProviderSession,
    calendar: CalendarRef,
    target: EventTarget,
    patch: EventPatch,
    options: WriteOptions,
  ): Promise<readonly EventChange[]>;
  /** Deletes the object; resolves also if it is gone already. An occurrence is cancelled; resolves with its series. */
  delete(
    session: ProviderSession,
    calendar: CalendarRef,
    target: EventTarget,
    options: WriteOptions,
  ): Promise<readonly EventChange[]>;
  /**
   * Sets the account's own response, with a comment for the organizer.
   * @throws ProviderError forbidden for the organizer or an uninvited account; unsupported, naming `comment`, where it would not
   * reach the organizer
   */
  respond(
    session: ProviderSession,
    calendar: CalendarRef,
    target: EventTarget,
    response: ResponseStatus,
    options: RespondOptions,
  ): Promise<readonly EventChange[]>;
}
