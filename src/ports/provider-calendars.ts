import type { ProviderSession } from './provider-session.ts';

/** A calendar as the provider has it, mapped. */
export interface ProviderCalendar {
  readonly id: string;
  /** ETag or changeKey, null where there is none. */
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
  | { readonly kind: 'deleted'; readonly calendarId: string };

export interface CalendarPage {
  readonly changes: readonly CalendarChange[];
  /** True when the pages of this pull list every calendar there is: what is missing at the end is gone. */
  readonly full: boolean;
  /** Set on the last page only; null there when the provider has no incremental feed of calendars. */
  readonly nextToken?: string | null;
}

export interface ProviderCalendars {
  /**
   * Yields every change since `token`, or every calendar when it is null, as pages arrive.
   * @throws ProviderError sync-token-expired (the caller starts again with null)
   */
  pull(session: ProviderSession, token: string | null): AsyncIterable<CalendarPage>;
  /** Whether the account has this calendar. One that a full list skipped is asked for before it is taken for gone. */
  exists(session: ProviderSession, calendarId: string): Promise<boolean>;
  /** Without a time zone, or with null, the calendar gets the one of the account. */
  create(
    session: ProviderSession,
    input: { readonly name: string; readonly hexColor?: string | null; readonly timeZone?: string | null },
  ): Promise<ProviderCalendar>;
  /** Changes what is sent. A time zone of null is the account's, as if none had ever been given. */
  update(
    session: ProviderSession,
    calendarId: string,
    patch: { readonly name?: string; readonly hexColor?: string | null; readonly timeZone?: string | null },
  ): Promise<ProviderCalendar>;
  /** Resolves also when it was gone already. */
  delete(session: ProviderSession, calendarId: string): Promise<void>;
}
