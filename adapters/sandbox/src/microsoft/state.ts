import type { JWK } from 'jose';
import type { Kernel } from '../kernel/kernel.ts';
import type { SentMail } from '../kernel/sent-mail.ts';
import type { PatternedRecurrence } from './series/patterned-recurrence.ts';

/** A wall time: milliseconds as if the wall clock showed UTC, and the zone (Windows or IANA name) it is read in. */
export interface StoredTime {
  readonly wallMs: number;
  readonly timeZone: string;
}

export interface StoredTimeSlot {
  readonly start: StoredTime;
  readonly end: StoredTime;
}

export interface EmailAddress {
  readonly name: string;
  readonly address: string;
}

type ResponseType = 'none' | 'organizer' | 'tentativelyAccepted' | 'accepted' | 'declined' | 'notResponded';

export interface ResponseStatus {
  readonly response: ResponseType;
  /** Epoch milliseconds; null when there was none. */
  readonly at: number | null;
}

export interface StoredAttendee {
  readonly emailAddress: EmailAddress;
  readonly type: 'required' | 'optional' | 'resource';
  readonly status: ResponseStatus;
  /** Time that the attendee proposed with the latest answer. */
  readonly proposedNewTime?: StoredTimeSlot | undefined;
}

/** A file, an attached item or a link to a file. */
export interface StoredAttachment {
  readonly id: string;
  readonly kind: 'file' | 'item' | 'reference';
  readonly name: string;
  readonly contentType: string | null;
  readonly size: number;
  readonly isInline: boolean;
  readonly modifiedAt: number;
}

/** The fields that an occurrence inherits from its master and an exception may override. */
export interface EventFields {
  readonly subject: string;
  readonly body: { readonly contentType: 'text' | 'html'; readonly content: string };
  readonly start: StoredTime;
  readonly end: StoredTime;
  readonly isAllDay: boolean;
  readonly locations: readonly Readonly<Record<string, unknown>>[];
  readonly attendees: readonly StoredAttendee[];
  readonly categories: readonly string[];
  readonly importance: 'low' | 'normal' | 'high';
  readonly sensitivity: 'normal' | 'personal' | 'private' | 'confidential';
  readonly showAs: 'free' | 'tentative' | 'busy' | 'oof' | 'workingElsewhere' | 'unknown';
  readonly isReminderOn: boolean;
  readonly reminderMinutesBeforeStart: number;
  readonly responseRequested: boolean;
  readonly allowNewTimeProposals: boolean;
  readonly hideAttendees: boolean;
  readonly isOnlineMeeting: boolean;
  readonly onlineMeetingProvider: string;
  readonly joinUrl: string | null;
  /** Time of the join link; null when it exists, or none was requested. */
  readonly meetingDueAt: number | null;
  readonly responseStatus: ResponseStatus;
  readonly isCancelled: boolean;
  readonly attachments?: readonly StoredAttachment[];
  /** By normalised property id (`extendedPropertyKey`). */
  readonly extendedProperties: Readonly<Record<string, { readonly id: string; readonly value: string }>>;
}

export interface StoredException {
  fields: Partial<EventFields>;
  changeKey: string;
  modifiedAt: number;
  seq: number;
}

export interface SeriesState {
  recurrence: PatternedRecurrence;
  /** Raised by every change of pattern or time: occurrence ids of earlier generations are gone. */
  generation: number;
  /** By slot date `YYYY-MM-DD` in the recurrence's zone. */
  exceptions: Record<string, StoredException>;
  /** Deleted slots by date. */
  cancelled: Record<string, { readonly seq: number }>;
  /** Name of the recurrence's zone in answers, where it is not the true one (`tzone://Microsoft/Custom`). */
  zoneLabel: string | null;
}

export interface StoredEvent {
  readonly key: string;
  /** Shared by the organizer's event and the attendees' copies. */
  readonly uid: string;
  fields: EventFields;
  organizer: EmailAddress;
  isOrganizer: boolean;
  originalStartTimeZone: string;
  originalEndTimeZone: string;
  readonly transactionId: string | null;
  readonly createdAt: number;
  modifiedAt: number;
  changeKey: string;
  /** The calendar's change number of the last change to the single event or the master itself. */
  seq: number;
  /** The same, counting changes to single occurrences too. */
  touchedSeq: number;
  series: SeriesState | null;
}

export interface StoredCalendar {
  readonly key: string;
  readonly ownerEmail: string;
  name: string;
  readonly isDefault: boolean;
  changeKey: string;
  /** Raised by one with every change to an event. */
  seq: number;
  events: Record<string, StoredEvent>;
  /** Events that their attendee declined, by key: they lie among the deleted items until those are emptied. */
  declined?: Record<string, StoredEvent>;
  /** Deleted events, for delta queries; dropped when every token that could ask for them is dead. */
  tombstones: { readonly event: StoredEvent; readonly seq: number; readonly deletedAt: number }[];
  allowedOnlineMeetingProviders: string[];
  extendedProperties: Record<string, { readonly id: string; readonly value: string }>;
}

/** A calendar as one mailbox sees it. */
export interface CalendarLink {
  readonly id: string;
  /** A short-lived first id of the same calendar, see the control `setCalendarIdQuirk`. */
  readonly temporaryId: string | null;
  readonly calendarKey: string;
  role: 'owner' | 'writer' | 'reader';
  color: string;
}

interface StoredCategory {
  readonly id: string;
  readonly displayName: string;
  readonly color: string;
}

export interface StoredMailbox {
  readonly email: string;
  readonly name: string;
  /** IANA name. */
  timeZone: string;
  readonly calendarLinks: CalendarLink[];
  readonly categories: StoredCategory[];
}

export interface StoredClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly secondSecret?: string | undefined;
  readonly redirectUris: readonly string[];
  /** Every token request answers AADSTS7000222. @default false */
  readonly isSecretExpired?: boolean;
}

/** One person's consent to one client. */
export interface StoredGrant {
  readonly email: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  revokedAt: number | null;
}

interface StoredCode {
  readonly grantId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  readonly nonce: string | null;
  readonly scopes: readonly string[];
  readonly issuedAt: number;
  redeemed: boolean;
}

export interface StoredSubscription {
  readonly id: string;
  readonly email: string;
  readonly clientId: string;
  readonly resource: string;
  /** null: the events of all calendars of the mailbox, or its calendar list. */
  readonly calendarKey: string | null;
  readonly isCalendarList: boolean;
  readonly changeType: string;
  readonly clientState: string | null;
  notificationUrl: string;
  readonly lifecycleNotificationUrl: string | null;
  readonly immutableIds: boolean;
  expiresAt: number;
}

/**
 * Detail in which others see a person's time by getSchedule: subjects too, times alone, merged slots without items, or nothing.
 */
export const SCHEDULE_DETAILS = ['full', 'times', 'merged', 'none'] as const;
export type ScheduleDetail = (typeof SCHEDULE_DETAILS)[number];

export type SubscriptionRefusal = 'none' | 'extensionError' | 'unknownBackend';

export type DeltaRefusal = 'none' | 'secondPage' | 'endlessSeries' | 'always';

/** Switches set through the controls. */
export interface MicrosoftSettings {
  /** Share of deleted single occurrences that no delta round reports. */
  missedOccurrenceDeletions: number;
  /** Share of entities that a delta round lists twice. */
  repeatedDeltaEntities: number;
  /** Share of series that a delta round answers without their master. */
  omittedDeltaMasters: number;
  /** Share of writes after which the change key changes once more by itself. */
  extraChangeKeys: number;
  /** Requests per mailbox at a time; null: no limit. */
  concurrencyLimit: number | null;
  /** How long each request is held while there is a limit, in real milliseconds. */
  concurrencyHoldMs: number;
  retryAfterSeconds: number;
  /** Exceptions that a master is expanded with before they continue on another page; null: all. */
  expandedPageSize: number | null;
  /** Share of expanded exceptions without `originalStart`, though it is selected. */
  missingOriginalStarts: number;
  /** Whether lists and expansions show only the beginning of long extended properties, as Exchange's tables do. */
  cutsProperties: boolean;
  calendarIdQuirk: boolean;
  htmlWrapping: boolean;
  /** How originalStartTimeZone names a zone that was given by its IANA name. */
  zoneNaming: 'asGiven' | 'windows';
  /** Whether a change of the range alone drops exceptions too. */
  dropExceptionsOnRangeChange: boolean;
  /** How long a transaction id is remembered. */
  transactionLifeMs: number;
  /** How long after it was asked for a meeting has its join link. */
  meetingDelayMs: number;
  /** Delta tokens issued before this instant are dead. */
  deltaTokensDeadBefore: number;
  deltaTokenError: string;
  deltaTokenLifeMs: number;
  /** How long after its creation writes to an event are refused. */
  conflictsAfterCreationMs: number;
  /** Mailboxes that Graph does not reach, with the code of its answer. */
  unreachableMailboxes: Record<string, string>;
  /** Detail in which others see the time of mailboxes, where it is not the whole. */
  scheduleDetails: Record<string, ScheduleDetail>;
  /** How the creation of subscriptions fails, if it does. */
  subscriptionRefusal: SubscriptionRefusal;
  /** Longest life of a subscription. */
  longestSubscriptionMs: number;
  /** How calendarView/delta fails for good: after its first page, on calendars with an endless series, or on all. */
  deltaRefusal: DeltaRefusal;
  refreshGraceMs: number;
  /** Error codes the next token requests end in, oldest first. */
  plannedTokenErrors: { readonly email: string | null; readonly code: number; times: number }[];
}

export interface MicrosoftState {
  clients: Record<string, StoredClient>;
  mailboxes: Record<string, StoredMailbox>;
  calendars: Record<string, StoredCalendar>;
  grants: Record<string, StoredGrant>;
  codes: Record<string, StoredCode>;
  accessTokens: Record<string, { readonly grantId: string; readonly scopes: readonly string[]; expiresAt: number }>;
  refreshTokens: Record<string, { readonly grantId: string; lastUsedAt: number; replacedAt: number | null }>;
  subscriptions: Record<string, StoredSubscription>;
  signingKey: { readonly privateKey: JWK; readonly publicKey: JWK } | null;
  /** When the next meeting gets its join link; null while none waits. */
  nextMeetingAt: number | null;
  /** Mails that Exchange would have sent, oldest first. */
  mails: SentMail[];
  settings: MicrosoftSettings;
}

/** The state and services that every part of the server shares; a restore replaces `state` as a whole. */
export interface MicrosoftWorld {
  readonly kernel: Kernel;
  /** For the validation handshake of subscriptions. */
  readonly fetch: typeof fetch;
  state: MicrosoftState;
}

const DAY_MS = 86_400_000;

export function initialState(): MicrosoftState {
  return {
    clients: {},
    mailboxes: {},
    calendars: {},
    grants: {},
    codes: {},
    accessTokens: {},
    refreshTokens: {},
    subscriptions: {},
    signingKey: null,
    nextMeetingAt: null,
    mails: [],
    settings: {
      missedOccurrenceDeletions: 0.3,
      repeatedDeltaEntities: 0.1,
      omittedDeltaMasters: 0.5,
      extraChangeKeys: 0.2,
      concurrencyLimit: null,
      concurrencyHoldMs: 25,
      retryAfterSeconds: 1,
      expandedPageSize: null,
      missingOriginalStarts: 0,
      cutsProperties: false,
      calendarIdQuirk: false,
      htmlWrapping: true,
      zoneNaming: 'asGiven',
      dropExceptionsOnRangeChange: false,
      transactionLifeMs: DAY_MS,
      meetingDelayMs: 0,
      deltaTokensDeadBefore: 0,
      deltaTokenError: 'syncStateNotFound',
      deltaTokenLifeMs: 7 * DAY_MS,
      conflictsAfterCreationMs: 0,
      unreachableMailboxes: {},
      scheduleDetails: {},
      subscriptionRefusal: 'none',
      longestSubscriptionMs: 10_080 * 60_000,
      deltaRefusal: 'none',
      refreshGraceMs: DAY_MS,
      plannedTokenErrors: [],
    },
  };
}

/** The mailbox of an address, compared without case. */
export function findMailbox(state: MicrosoftState, email: string): StoredMailbox | undefined {
  return state.mailboxes[email.toLowerCase()];
}

/** The mailbox's own default calendar. */
export function defaultCalendarOf(state: MicrosoftState, mailbox: StoredMailbox): StoredCalendar {
  for (const link of mailbox.calendarLinks) {
    const calendar = state.calendars[link.calendarKey];
    if (calendar?.isDefault && link.role === 'owner') return calendar;
  }
  throw new Error(`the mailbox ${mailbox.email} has no default calendar`);
}
