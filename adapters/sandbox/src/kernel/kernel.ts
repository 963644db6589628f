/**
 * The common base of the provider sandboxes: a clock that a test can turn, seeded randomness, fault
 * injection, outgoing notifications and one persistent state. The sandboxes do not know each other.
 */

/** The sandbox's clock: real time plus an offset, or frozen. Instants are epoch milliseconds. */
export interface SandboxClock {
  now(): number;
  /** Moves the clock forward. @throws RangeError for a negative step */
  advance(ms: number): void;
  /** Stops the clock at an instant (`undefined` lets it run again from there). */
  freeze(at: number | undefined): void;
}

/** Name of a server, and of its paths. */
export type ProviderName = 'google' | 'microsoft' | 'caldav';

/** One fault, armed through the control API; the first that matches a request is used. */
export interface Fault {
  /** Which server. */
  readonly provider: ProviderName;
  /** Upper-case method, or undefined for any. */
  readonly method?: string;
  /** Prefix-free pattern tested against the path below the server's root, e.g. `/calendar/v3/.*\/events`. */
  readonly path?: string;
  /** How many requests it still hits; undefined: every one until it is disarmed. */
  readonly times?: number;
  /** Lets this many matching requests pass first. */
  readonly skip?: number;
  /**
   * `answer`: replies without executing. `answer-after`: executes, then replies this instead (a lost answer).
   * `delay`: holds the request for delayMs of real time. `reset`: breaks the connection.
   */
  readonly kind: 'answer' | 'answer-after' | 'delay' | 'reset';
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly delayMs?: number;
}

/** How outgoing notifications misbehave; every share is a probability in [0, 1]. */
export interface NotificationFaults {
  readonly drop?: number;
  readonly duplicate?: number;
  /** Share of notifications that are held back and sent after the next one. */
  readonly reorder?: number;
}

/** A notification to send to the watching application. */
export interface OutgoingNotification {
  readonly provider: 'google' | 'microsoft';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Services that the kernel gives to a provider sandbox. */
export interface Kernel {
  readonly clock: SandboxClock;
  /** `length` characters drawn from `alphabet` (default lower-case letters and digits), from the seeded source. */
  randomText(length: number, alphabet?: string): string;
  /** Queues a notification; it is posted in the background (retried a few times on 5xx), never awaited by a request. */
  notify(notification: OutgoingNotification): void;
  /** Marks the state dirty; it is saved before the answer of the current request goes out. */
  touched(): void;
  /** True with the given probability in [0, 1], from the seeded source. */
  chance(share: number): boolean;
  /**
   * Resolves when every queued notification is out (delivered or given up), at the latest after `timeoutMs` of
   * real time. For races a provider really has, such as a first push that overtakes the answer it belongs to.
   */
  notificationsSettled(timeoutMs: number): Promise<void>;
  /** Resolves after `ms` of real time. For requests that overlap at a real provider. */
  wait(ms: number): Promise<void>;
}

/** A recurring or single event read from an .ics file, in RFC 5545 terms, before a provider's own shape is given to it. */
export interface IcsEvent {
  readonly uid: string;
  readonly summary: string;
  readonly description: string;
  readonly location: string;
  /** Wall time `YYYY-MM-DDTHH:MM:SS`, or `YYYY-MM-DD` for all-day. */
  readonly dtstart: string;
  /** End, exclusive, in the same form. */
  readonly dtend: string;
  /** IANA zone of dtstart; null for all-day and floating times. */
  readonly timeZone: string | null;
  /** RRULE, RDATE, EXDATE, EXRULE lines with their property names; empty when not recurring. */
  readonly recurrence: readonly string[];
  /** Original start of the overridden slot in the form of dtstart (in the series' zone), null for masters and singles. */
  readonly recurrenceId: string | null;
  readonly cancelled: boolean;
  readonly transparent: boolean;
  readonly visibility: 'default' | 'public' | 'private' | 'confidential';
  readonly organizer: { readonly email: string; readonly name: string } | null;
  readonly attendees: readonly IcsAttendee[];
  /** STATUS:TENTATIVE. */
  readonly isTentative?: boolean;
  readonly categories?: readonly string[];
}

export interface IcsAttendee {
  readonly email: string;
  readonly name: string;
  readonly partstat: string;
  /** ROLE=OPT-PARTICIPANT, CUTYPE=ROOM or RESOURCE; required when absent. */
  readonly kind?: 'optional' | 'resource';
}

/** A calendar read from an .ics file. */
export interface IcsCalendar {
  readonly name: string;
  /** X-WR-TIMEZONE, else the first VTIMEZONE that maps to an IANA zone, else UTC. */
  readonly timeZone: string;
  readonly events: readonly IcsEvent[];
}

/** A mailbox to create. */
export interface MailboxSeed {
  readonly email: string;
  readonly name: string;
  /** IANA zone of the primary calendar / mailbox settings. */
  readonly timeZone: string;
}

/**
 * One provider's stateful server. Its state is plain JSON. `fetch` gets requests with the server's root
 * removed from the path (`/calendar/v3/…`, `/v1.0/me/…`); `root` in the state is the absolute URL of that root,
 * for links in answers (`nextLink`, issuer).
 */
export interface SandboxServer {
  fetch(request: Request, root: string): Promise<Response>;
  /** The whole state, JSON-serialisable. */
  snapshot(): unknown;
  restore(snapshot: unknown): void;
  /** Creates the mailbox with its primary calendar. Idempotent by e-mail. */
  addMailbox(seed: MailboxSeed): void;
  hasMailbox(email: string): boolean;
  mailboxes(): readonly string[];
  /**
   * Puts the events into a further calendar of the mailbox (`'new'`, the default) or into its primary one
   * (`'primary'`: name and zone of `calendar` are then ignored); returns the provider's calendar id.
   */
  importCalendar(email: string, calendar: IcsCalendar, into?: 'new' | 'primary'): string;
  /** Shares a calendar of one mailbox with another; returns the calendar id in the second mailbox. */
  shareCalendar(input: {
    readonly ownerEmail: string;
    readonly calendarId: string;
    readonly withEmail: string;
    readonly role: 'reader' | 'writer';
  }): string;
  /**
   * Control verbs of its own (revoke a grant, expire sync tokens, expire access tokens …), by name. Every provider
   * has `issueAccessToken({email, clientId?, scopes?})`, which answers `{accessToken, expiresAt}`: a valid bearer
   * token of that mailbox, so that a test can act as another person. A verb throws `ControlError` for bad input.
   */
  readonly controls: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => unknown>>;
}

/** A server whose people give applications access by OAuth. */
export interface ProviderSandbox extends SandboxServer {
  /** Registers an OAuth client; unknown clients are refused like the provider does. */
  addClient(client: {
    readonly clientId: string;
    readonly clientSecret: string;
    /** A second secret that is accepted too, as at both providers while one takes the place of the other. */
    readonly secondSecret?: string | undefined;
    readonly redirectUris: readonly string[];
  }): void;
  /** A refresh token as if the person had consented just now, to `scopes` or to everything when left out. */
  issueRefreshToken(input: {
    readonly email: string;
    readonly clientId: string;
    readonly scopes?: readonly string[];
  }): string;
}

/** A server whose people sign in with their address and a password of each application. */
export interface CalDavSandbox extends SandboxServer {
  /** Returns a new password that opens the mailbox until the person takes it back. */
  addAppPassword(input: { readonly email: string }): string;
}

/** A control verb or control route was called with input it cannot use; the message names the field and the rule. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}
