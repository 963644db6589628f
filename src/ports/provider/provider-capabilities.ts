import type { CalendarEvent, ExtensionField } from '../../model/index.ts';

/**
 * Limits of the events of one calendar at a provider. Anything beyond them is rejected with `unsupported` and the field's
 * name, never dropped or approximated. All other content round-trips unchanged.
 */
export interface ProviderCapabilities {
  /** Ids of the existing event colours, or `any` where any text is kept. */
  readonly colorIds: readonly string[] | 'any';
  /** Supported values of visibility. */
  readonly visibilities: readonly CalendarEvent['visibility'][];
  /** Types of new events. */
  readonly eventTypes: readonly CalendarEvent['eventType'][];
  /** Types of new events that can keep the UID that they have elsewhere. */
  readonly keepsUidOf: readonly CalendarEvent['eventType'][];
  /** Whether an event may become one of another type. */
  readonly changesEventType: boolean;
  /** Types reserved for timed, busy events without attendees. */
  readonly bareEventTypes: readonly CalendarEvent['eventType'][];
  /** Readers of public extended properties: every attendee, or the account alone. */
  readonly publicProperties: 'attendees' | 'account';
  readonly meetings: MeetingCapabilities;
  readonly reminders: ReminderCapabilities;
  readonly recurrence: RecurrenceCapabilities;
  readonly occurrences: OccurrenceCapabilities;
  readonly attendees: AttendeeCapabilities;
  /** Fields beyond the specification that are kept. A value of any other is refused. */
  readonly extensions: readonly ExtensionField[];
  /** Supported values of showAs for any event. */
  readonly showAs: readonly CalendarEvent['showAs'][];
  /** Longest description, in characters. */
  readonly descriptionLength: number;
}

export interface MeetingCapabilities {
  /** Values of generateMeetingUrlProvider, as in the calendar's allowedOnlineMeetingProviders. */
  readonly providers: readonly string[];
  /** Default when the request names none; empty where there is none. */
  readonly defaultProvider: string;
  /** Whether conferenceData with a custom link is kept. */
  readonly givenByHand: boolean;
  /** Whether a meeting can be removed from an event or replaced. */
  readonly removable: boolean;
}

export interface ReminderCapabilities {
  readonly methods: readonly ('email' | 'popup')[];
  /** Maximum number of overrides of one event. */
  readonly maxOverrides: number;
}

export interface RecurrenceCapabilities {
  readonly frequencies: readonly ('DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY')[];
  /**
   * `any`: every RFC 5545 rule of those frequencies. `patterned`: rules that are one pattern of days, weekdays of the week,
   * a day of the month, or the n-th weekday of a month or year.
   * @see https://learn.microsoft.com/graph/api/resources/recurrencepattern
   */
  readonly rules: 'any' | 'patterned';
  /** Largest COUNT and INTERVAL; null where the provider's limit is not below the interface's. */
  readonly maxCount: number | null;
  readonly maxInterval: number | null;
  /** Whether RDATE lines are supported. */
  readonly rdate: boolean;
  /** Whether EXDATE lines are supported. */
  readonly exdate: boolean;
}

export interface OccurrenceCapabilities {
  /** Whether a cancelled occurrence can be restored. */
  readonly restorable: boolean;
  /** Whether an occurrence may move to or past the day of its neighbour. */
  readonly crossesNeighbours: boolean;
  /** Whether an occurrence may have another visibility than its series. */
  readonly ownVisibility: boolean;
}

export interface AttendeeCapabilities {
  /** Most attendees of one event; the interface takes 200 at most. With 0 events have none: any attendee is refused. */
  readonly max: number;
  /** Whether the organizer may set the response of a newly invited attendee. */
  readonly answersWritable: boolean;
  /** Whether the account may reset its response to needsAction. */
  readonly answerRevocable: boolean;
  /** Whether a write can withhold mail from attendees. */
  readonly mailSelectable: boolean;
  /** Whether a write of the account's own copy of a meeting, such as its reminders or categories, is taken without mail. */
  readonly ownCopyIsQuiet: boolean;
  /** Whether comments of responses are shown. */
  readonly commentsShown: boolean;
}
