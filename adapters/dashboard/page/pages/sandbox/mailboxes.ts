import type { Call } from '../../api/request.ts';

/** A mailbox of the sandbox. */
export interface Mailbox {
  readonly provider: keyof typeof PROVIDER_TYPES;
  readonly email: string;
}

export interface MailboxCalendar {
  readonly id: string;
  readonly name: string;
  readonly isPrimary: boolean;
  readonly canEdit: boolean;
}

export type Answer = 'needsAction' | 'accepted' | 'tentative' | 'declined';

/** An event or occurrence, as the control API of the sandbox shows it. */
export interface MailboxEvent {
  readonly id: string;
  readonly seriesId: string | null;
  readonly title: string;
  readonly isAllDay: boolean;
  /** Wall time in `timeZone`, or a date. */
  readonly start: string;
  readonly end: string;
  readonly timeZone: string;
  readonly organizer: string | null;
  readonly isOrganizer: boolean;
  readonly attendees: readonly { readonly email: string; readonly answer: Answer }[];
  readonly myAnswer: Answer | null;
}

/** The sandbox's providers, as the engine of the demo names them. */
export const PROVIDER_TYPES = { google: 'PROVIDER_A', microsoft: 'PROVIDER_B', caldav: 'CALDAV' } as const;

/** Returns the engine's id of a calendar, which at CalDAV is the base64url of its path, where the sandbox is below /caldav. */
export function calendarIdOf({ provider }: Mailbox, id: string): string {
  if (provider !== 'caldav') return id;
  const bytes = new TextEncoder().encode(`/caldav${decodeURIComponent(id)}`);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** Returns the path of a mailbox below the dashboard. */
export const pathOfMailbox = ({ provider, email }: Mailbox, rest: string): string =>
  `/sandbox/${provider}/mailboxes/${encodeURIComponent(email)}${rest}`;

const DAYS_SHOWN = 14;
const DAY_MS = 86_400_000;

/** Returns the call that lists the events of two weeks from the day of an instant. */
export function eventsCall(mailbox: Mailbox, calendarId: string, now: number): Call {
  const from = Math.floor(now / DAY_MS) * DAY_MS;
  return {
    path: pathOfMailbox(mailbox, '/events'),
    query: {
      calendarId,
      from: new Date(from).toISOString(),
      to: new Date(from + DAYS_SHOWN * DAY_MS).toISOString(),
    },
  };
}

/** Returns the call on one event of a calendar. */
export const eventCall = (mailbox: Mailbox, calendarId: string, eventId: string, rest = ''): Call => ({
  path: pathOfMailbox(mailbox, `/events/${encodeURIComponent(eventId)}${rest}`),
  query: { calendarId },
});

/** Returns a wall time so much later; a date stays one. */
export function laterWall(wall: string, ms: number): string {
  const isDate = !wall.includes('T');
  const at = Date.parse(isDate ? `${wall}T00:00:00Z` : `${wall}Z`);
  return new Date(at + ms).toISOString().slice(0, isDate ? 10 : 19);
}
