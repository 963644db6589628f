import type { CalendarEvent } from '../model/index.ts';

/**
 * What events of one calendar can hold at a provider. Whatever lies outside is refused with `unsupported`, naming the
 * field, and never dropped or approximated; everything else of the interface survives the way to the provider and back.
 */
export interface ProviderCapabilities {
  /** Event colours that exist, or `any` where whatever text is given is kept. */
  readonly colorIds: readonly string[] | 'any';
  /** Values of visibility that survive. */
  readonly visibilities: readonly CalendarEvent['visibility'][];
  /** Types that an event of this calendar may be created with. */
  readonly eventTypes: readonly CalendarEvent['eventType'][];
  /** Whether an event may become one of another type. */
  readonly changesEventType: boolean;
  /** Types that are for timed events without attendees that block time. */
  readonly bareEventTypes: readonly CalendarEvent['eventType'][];
  /** Who sees public extended properties: every attendee, or the account alone. */
  readonly publicProperties: 'attendees' | 'account';
  readonly meetings: MeetingCapabilities;
  readonly reminders: ReminderCapabilities;
  readonly recurrence: RecurrenceCapabilities;
  readonly occurrences: OccurrenceCapabilities;
  readonly attendees: AttendeeCapabilities;
  /** Longest description, in characters. */
  readonly descriptionLength: number;
}

export interface MeetingCapabilities {
  /** Values of generateMeetingUrlProvider; as the calendar's allowedOnlineMeetingProviders. */
  readonly providers: readonly string[];
  /** The one to take when none is named; empty where there is none. */
  readonly defaultProvider: string;
  /** Whether conferenceData with a link of one's own is kept. */
  readonly givenByHand: boolean;
  /** Whether a meeting can be taken off an event, or exchanged for another one. */
  readonly removable: boolean;
}

export interface ReminderCapabilities {
  readonly methods: readonly ('email' | 'popup')[];
  /** How many overrides one event may have. */
  readonly maxOverrides: number;
}

export interface RecurrenceCapabilities {
  readonly frequencies: readonly ('DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY')[];
  /**
   * `any`: every rule of RFC 5545 of those frequencies. `patterned`: a rule that is one pattern of a day, a weekday of the
   * week, a day of the month, or the n-th weekday of a month or year.
   * @see https://learn.microsoft.com/graph/api/resources/recurrencepattern
   */
  readonly rules: 'any' | 'patterned';
  /** Largest COUNT and INTERVAL; null where there is no bound below that of the interface. */
  readonly maxCount: number | null;
  readonly maxInterval: number | null;
  /** Whether RDATE lines survive. */
  readonly rdate: boolean;
  /** Whether EXDATE lines survive. */
  readonly exdate: boolean;
}

export interface OccurrenceCapabilities {
  /** Whether a cancelled occurrence can be brought back. */
  readonly restorable: boolean;
  /** Whether an occurrence may be moved to or past the day of its neighbour. */
  readonly crossesNeighbours: boolean;
}

export interface AttendeeCapabilities {
  readonly max: number;
  /** Whether the organizer may write down the answer of somebody who is newly invited. */
  readonly answersWritable: boolean;
  /** Whether the account may take its answer back, to needsAction. */
  readonly answerRevocable: boolean;
}
