/** A calendar as the owner of a mailbox sees it. */
export interface MailboxCalendar {
  readonly id: string;
  readonly name: string;
  readonly isPrimary: boolean;
  /** False for one that another person shares to read. */
  readonly canEdit: boolean;
}

export type Answer = 'needsAction' | 'accepted' | 'tentative' | 'declined';

/** An event, or one occurrence of a series, in one form for all providers. */
export interface MailboxEvent {
  readonly id: string;
  /** Id of the series of an occurrence, null for other events. */
  readonly seriesId: string | null;
  readonly title: string;
  readonly location: string;
  readonly isAllDay: boolean;
  /** Wall time `YYYY-MM-DDTHH:MM:SS` in `timeZone`, or `YYYY-MM-DD` for all-day. */
  readonly start: string;
  /** In the form of `start`; of an all-day event the day after its last one. */
  readonly end: string;
  readonly timeZone: string;
  /** RRULE lines of a series that is read by its own id; empty for all others. */
  readonly recurrence: readonly string[];
  readonly organizer: string | null;
  readonly isOrganizer: boolean;
  readonly attendees: readonly { readonly email: string; readonly answer: Answer }[];
  /** The owner's own answer, null where there is nothing to answer. */
  readonly myAnswer: Answer | null;
}

/** Start, end and zone of an event. */
export interface EventTimes {
  readonly start: string;
  readonly end: string;
  readonly timeZone: string;
}

/** A write: fields that are absent stay as they are, or are empty in a new event. */
export interface EventWrite {
  readonly title?: string | undefined;
  readonly location?: string | undefined;
  readonly times?: EventTimes | undefined;
  readonly attendees?: readonly string[] | undefined;
  /** RRULE lines; an empty list ends the recurrence. */
  readonly recurrence?: readonly string[] | undefined;
}

/** One mailbox through its provider's own API, as the person whose mailbox it is. */
export interface MailboxEvents {
  /** Zone of the mailbox, an IANA name. */
  timeZone(): Promise<string>;
  calendars(): Promise<readonly MailboxCalendar[]>;
  /** Events and occurrences that meet [from, to), ascending by start. Instants are ISO texts with an offset. */
  list(window: {
    readonly from: string;
    readonly to: string;
    readonly timeZone: string;
  }): Promise<readonly MailboxEvent[]>;
  get(eventId: string, timeZone: string): Promise<MailboxEvent>;
  /** Resolves with the id. */
  create(write: EventWrite & { readonly times: EventTimes }): Promise<string>;
  change(eventId: string, write: EventWrite): Promise<void>;
  remove(eventId: string): Promise<void>;
  answer(eventId: string, answer: Exclude<Answer, 'needsAction'>): Promise<void>;
}

/** Tells whether a time is a date alone. */
export const isDate = (text: string): boolean => !text.includes('T');
