import type { JWK } from 'jose';
import type { SentMail } from '../kernel/sent-mail.ts';
import type {
  Attendee,
  ConferenceData,
  ExtendedProperties,
  Json,
  Reminder,
  Reminders,
  WireAttachment,
} from './api/wire.ts';

/** Access roles in rising order of power. */
export const ACCESS_ROLES = ['freeBusyReader', 'reader', 'writerWithoutPrivateAccess', 'writer', 'owner'] as const;
export type AccessRole = (typeof ACCESS_ROLES)[number];

/** A moment of an event: a date (all-day), or an instant with the zone it was written in. */
export type StoredTime =
  | { readonly date: string }
  | {
      /** Epoch milliseconds. */
      readonly at: number;
      /** IANA zone that the writer named; null when only an offset was given. */
      readonly timeZone: string | null;
    };

/** The writable part of an event. Absent means the provider's default. */
export interface EventFields {
  summary?: string;
  description?: string;
  location?: string;
  colorId?: string;
  /** Label of the calendar's own palette. The sandbox has no palettes, and takes any. */
  eventLabelId?: string;
  start: StoredTime;
  end: StoredTime;
  recurrence?: string[];
  transparency?: string;
  visibility?: string;
  eventType: string;
  status: 'confirmed' | 'tentative';
  attendees?: Attendee[];
  reminders: Reminders;
  extendedProperties?: ExtendedProperties;
  conferenceData?: ConferenceData;
  guestsCanModify?: boolean;
  guestsCanInviteOthers?: boolean;
  guestsCanSeeOtherGuests?: boolean;
  anyoneCanAddSelf?: boolean;
  /** Whether the guests get neither mail nor copies; set when the event is made, and never changed. */
  privateCopy?: boolean;
  source?: { title?: string; url?: string };
  attachments?: WireAttachment[];
  /** outOfOfficeProperties, focusTimeProperties, workingLocationProperties, birthdayProperties as they were sent. */
  typeProperties?: Record<string, unknown>;
}

/** The times of an event before a change of its rule or its times, for lists of single events. */
export interface FormerShape {
  readonly untilRevision: number;
  readonly start: StoredTime;
  readonly end: StoredTime;
  /** Absent for a former single event. */
  readonly recurrence?: string[];
}

/** One event in one calendar; the copies of organizer and guests are separate records. */
export interface StoredEvent {
  readonly id: string;
  readonly iCalUID: string;
  readonly createdAt: number;
  updatedAt: number;
  /** Global revision of the last visible change of this copy. */
  revision: number;
  /** Revision at which this copy was created. */
  firstRevision?: number;
  /** Creation order, the paging key of unordered lists. */
  readonly ordinal: number;
  cancelled: boolean;
  sequence: number;
  readonly creatorEmail: string;
  /** The organizer's calendar id (its e-mail address for a primary calendar). */
  organizerEmail: string;
  readonly recurringEventId?: string;
  readonly originalStart?: StoredTime;
  fields: EventFields;
  formerShapes?: FormerShape[];
  /** Whether a requested conference is still being created. */
  conferencePending?: boolean;
  /** The JSON that a control put in this event's place; shown as it is until the event changes. */
  planted?: Json;
}

export interface StoredCalendar {
  readonly id: string;
  readonly kind: 'primary' | 'secondary' | 'holiday';
  summary: string;
  description?: string;
  location?: string;
  timeZone: string;
  /** Mailbox that owns the data. */
  dataOwner: string;
  revision: number;
  /** Role by mailbox e-mail. */
  acl: Record<string, AccessRole>;
  events: Record<string, StoredEvent>;
  /** Allowed conference solutions, where a test has set them. */
  conferenceSolutions?: readonly string[];
}

/**
 * `cancelled`: those whose slot is gone are cancelled, the others stay. `orphaned`: all stay. `dropped`: all are removed,
 * cancelled ones too, and no list reports it.
 */
export const EXCEPTION_FATES = ['cancelled', 'orphaned', 'dropped'] as const;
export type ExceptionFate = (typeof EXCEPTION_FATES)[number];

/** One mailbox's own view of a calendar. */
export interface ListEntry {
  readonly calendarId: string;
  summaryOverride?: string;
  colorId: string;
  backgroundColor?: string;
  foregroundColor?: string;
  hidden: boolean;
  selected: boolean;
  deleted: boolean;
  defaultReminders: Reminder[];
  notifications?: { type: string; method: string }[];
  readonly ordinal: number;
  revision: number;
}

export interface Mailbox {
  readonly email: string;
  readonly name: string;
  /** Stable account id, the `sub` of id_tokens. */
  readonly subject: string;
  timeZone: string;
  calendarList: Record<string, ListEntry>;
  /** Whether the primary calendar is kept from the colleagues' free/busy. @default false */
  isFreeBusyHidden?: boolean;
}

export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly secondSecret?: string | undefined;
  readonly redirectUris: readonly string[];
}

/** The consent of a person to a client. */
export interface Grant {
  readonly id: string;
  readonly email: string;
  readonly clientId: string;
  scopes: string[];
  revoked: boolean;
}

export interface AuthorizationCode {
  readonly grantId: string;
  readonly redirectUri: string;
  readonly expiresAt: number;
  readonly scopes: string[];
  readonly nonce: string | null;
  readonly codeChallenge: string | null;
  readonly codeChallengeMethod: string | null;
  /** Whether the exchange answers with a refresh token: offline access at the first or a forced consent. */
  readonly offline: boolean;
  used: boolean;
}

export interface PushChannel {
  readonly id: string;
  readonly token: string | null;
  readonly address: string;
  /** E-mail address of the caller that opened the channel. */
  readonly email: string;
  /** `events:{calendarId}`, `calendarList:{email}` or `settings:{email}`. */
  readonly resource: string;
  readonly resourceId: string;
  readonly resourceUri: string;
  expiresAt: number;
  messageNumber: number;
}

/** The whole state of the Google server; plain JSON. */
export interface GoogleState {
  revision: number;
  ordinal: number;
  /** Raised by the control that expires every sync token. */
  syncEpoch: number;
  mailboxes: Record<string, Mailbox>;
  /** Addresses of the members of groups, by the group's address. */
  groups: Record<string, readonly string[]>;
  calendars: Record<string, StoredCalendar>;
  clients: Record<string, OAuthClient>;
  grants: Record<string, Grant>;
  codes: Record<string, AuthorizationCode>;
  refreshTokens: Record<string, { readonly grantId: string }>;
  accessTokens: Record<string, { readonly grantId: string; expiresAt: number; readonly scopes: string[] }>;
  channels: Record<string, PushChannel>;
  /** RS256 key pair for id_tokens, created when first needed. */
  signingKey: { readonly kid: string; readonly privateJwk: JWK; readonly publicJwk: JWK } | null;
  /** Requests a mailbox may make per minute; null: no limit. */
  requestsPerMinute: number | null;
  /** Whether some event still waits for its conference. */
  conferencesPending: boolean;
  /** Number of next conference requests that fail. */
  conferenceFailures: number;
  /** Fate of a series' exceptions when its times or its rule change. */
  exceptionFate: ExceptionFate;
  /** Mails that Google would have sent, oldest first. */
  mails: SentMail[];
}

export function emptyGoogleState(): GoogleState {
  return {
    revision: 0,
    ordinal: 0,
    syncEpoch: 1,
    mailboxes: {},
    groups: {},
    calendars: {},
    clients: {},
    grants: {},
    codes: {},
    refreshTokens: {},
    accessTokens: {},
    channels: {},
    signingKey: null,
    requestsPerMinute: null,
    conferencesPending: false,
    conferenceFailures: 0,
    exceptionFate: 'cancelled',
    mails: [],
  };
}
