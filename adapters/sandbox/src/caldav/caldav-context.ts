import type { Kernel } from '../kernel/kernel.ts';
import type { CalDavState, Mailbox, Quirk, StoredCalendar } from './caldav-state.ts';

/** The state and services that every part of the CalDAV server shares. */
export interface CalDavContext {
  readonly kernel: Kernel;
  /** Replaced as a whole by a restore, so never keep a reference across requests. */
  state: CalDavState;
}

/** Returns the next global revision, and marks the state dirty. */
export function nextRevision(context: CalDavContext): number {
  context.kernel.touched();
  context.state.revision += 1;
  return context.state.revision;
}

/** Returns the mailbox of an address, in any case. */
export function findMailbox(context: CalDavContext, email: string): Mailbox | undefined {
  return context.state.mailboxes[email.toLowerCase()];
}

export const hasQuirk = (context: CalDavContext, quirk: Quirk): boolean => context.state.quirks.includes(quirk);

/** Returns the calendars that a mailbox owns, with their names in its home. */
export function ownCalendars(
  context: CalDavContext,
  mailbox: Mailbox,
): readonly { readonly slug: string; readonly calendar: StoredCalendar }[] {
  return Object.entries(mailbox.links).flatMap(([slug, { calendarId, role }]) => {
    const calendar = context.state.calendars[calendarId];
    return calendar === undefined || role !== 'owner' ? [] : [{ slug, calendar }];
  });
}
