/** Deviations from the RFCs that real servers show; each is off unless a test turns it on. */
export const QUIRKS = [
  /** Prints each body anew, with its components in another order (Radicale, Xandikos). */
  'rewritesBodies',
  /** A sync token of PROPFIND hides a change made in the same instant (SOGo). */
  'propfindTokenLosesChanges',
  /** There is no sync-collection: neither the report nor the property. */
  'noSyncCollection',
  /** Headers show tags as weak, as behind nginx. */
  'weakEtags',
  /** Multiget leaves out an href that is not there (DAViCal). */
  'omitsMissingHrefs',
  /** Multiget leaves out the first of several hrefs though it is there, once for each state of the calendar (Google). */
  'omitsListedHref',
  /** `If-None-Match: *` overwrites (SOGo). */
  'ignoresIfNoneMatch',
  /** A token that has ended is answered with all that is there, and no deletions (DAViCal, iCloud). */
  'fullListForEndedToken',
  /** The organizer's deletion leaves the copy, with STATUS:CANCELLED (Cyrus). */
  'keepsCancelledCopies',
  /** There is no scheduling. */
  'noScheduling',
  /** Every person may read the principals of others (sabre/dav, DAViCal). */
  'openPrincipals',
] as const;

export type Quirk = (typeof QUIRKS)[number];

/** One resource: all components of a UID. */
export interface StoredObject {
  readonly name: string;
  readonly uid: string;
  readonly data: string;
  /** Revision of the last write; the tag is made of it. */
  readonly revision: number;
  /** Revision of the last write that counts for Schedule-Tag; null for an object without scheduling. */
  readonly scheduleRevision: number | null;
  /** When it was written, epoch milliseconds. */
  readonly modifiedAt: number;
  /** Makes the body unreadable wherever it is sent: the exception with this RECURRENCE-ID, or all of it when it is empty. */
  readonly corruptSlot?: string;
}

export interface StoredCalendar {
  readonly id: string;
  /** E-mail of the owner. */
  readonly owner: string;
  /** Number of the last write in it; its sync tokens and its ctag. */
  revision: number;
  /** Tokens older than this have ended. */
  oldestToken: number;
  /** Properties that PROPPATCH or MKCALENDAR has set, by Clark name, as XML content. */
  props: Record<string, string>;
  objects: Record<string, StoredObject>;
  /** Deletions since `oldestToken`, by name. */
  tombstones: Record<string, { readonly revision: number; readonly modifiedAt: number }>;
}

export type Role = 'owner' | 'writer' | 'reader';

export interface Mailbox {
  readonly email: string;
  readonly name: string;
  readonly timeZone: string;
  /** Passwords that open it: the person's own and one for each application. */
  passwords: string[];
  /** Calendars of its home by the name in the path. */
  links: Record<string, { readonly calendarId: string; readonly role: Role }>;
  /** Name in the path of the calendar that takes invitations. */
  readonly defaultCalendar: string;
}

export interface CalDavState {
  mailboxes: Record<string, Mailbox>;
  calendars: Record<string, StoredCalendar>;
  /** Bearer tokens of control calls, by token. */
  tokens: Record<string, { readonly email: string; expiresAt: number }>;
  revision: number;
  quirks: Quirk[];
  requestsPerMinute: number | null;
  recentRequests: number[];
  /** Most changes of one sync-collection answer, or null. */
  syncPageSize: number | null;
}

export function emptyCalDavState(): CalDavState {
  return {
    mailboxes: {},
    calendars: {},
    tokens: {},
    revision: 0,
    quirks: [],
    requestsPerMinute: null,
    recentRequests: [],
    syncPageSize: null,
  };
}
