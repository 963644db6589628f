import type { ProviderSession } from './provider-session.ts';

/** A calendar of the provider, mapped. */
export interface ProviderCalendar {
  readonly id: string;
  /** ETag or changeKey; null where there is none. */
  readonly providerTag: string | null;
  readonly name: string;
  readonly hexColor: string;
  readonly readOnly: boolean;
  readonly isPrimary: boolean;
  readonly isShared: boolean;
  /** IANA name. */
  readonly timeZone: string;
  readonly inviteEmail: string;
  readonly allowedOnlineMeetingProviders: readonly string[];
  readonly defaultOnlineMeetingProvider: string;
}

export type CalendarChange =
  | { readonly kind: 'calendar'; readonly calendar: ProviderCalendar }
  | { readonly kind: 'deleted'; readonly calendarId: string }
  /** An entry that cannot be read. It is not deleted: its last good version stays. `reason` names field and rule. */
  | { readonly kind: 'unreadable'; readonly calendarId: string; readonly reason: string };

export interface CalendarPage {
  readonly changes: readonly CalendarChange[];
  /** True when the pages of this pull list every calendar; a missing one is deleted. */
  readonly full: boolean;
  /** Set on the last page only; null when the provider has no incremental feed of calendars. */
  readonly nextToken?: string | null;
  /** The provider was not asked, by its own wish: the mirror stays as old as it is. @default false */
  readonly isUnasked?: boolean;
}

export interface ProviderCalendars {
  /**
   * Yields every change since `token`, or every calendar when it is null, as pages arrive.
   * @throws ProviderError sync-token-expired (the caller starts again with null)
   */
  pull(session: ProviderSession, token: string | null): AsyncIterable<CalendarPage>;
  /**
   * Returns whether the account has this calendar, readable or not. Confirms the deletion of one that a full list omits.
   */
  exists(session: ProviderSession, calendarId: string): Promise<boolean>;
  /** Creates a calendar. Without a time zone, or with null, it gets the account's. */
  create(
    session: ProviderSession,
    input: { readonly name: string; readonly hexColor?: string | null; readonly timeZone?: string | null },
  ): Promise<ProviderCalendar>;
  /** Changes the given fields. A time zone of null resets it to the account's. */
  update(
    session: ProviderSession,
    calendarId: string,
    patch: { readonly name?: string; readonly hexColor?: string | null; readonly timeZone?: string | null },
  ): Promise<ProviderCalendar>;
  /** Deletes the calendar; resolves also if it is gone already. */
  delete(session: ProviderSession, calendarId: string): Promise<void>;
}
