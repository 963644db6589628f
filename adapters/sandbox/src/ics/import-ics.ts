import type { SandboxServer } from '../kernel/kernel.ts';
import { readIcs } from './read-ics.ts';

/** The result of an import. */
export interface IcsImport {
  /** One entry per VCALENDAR of the text. */
  readonly calendars: readonly { readonly calendarId: string; readonly name: string; readonly events: number }[];
  /** Parts of the text that could not be used, one sentence each. */
  readonly problems: readonly string[];
}

/**
 * Imports an .ics text into a mailbox: each VCALENDAR becomes a calendar of its own, or all go into the primary one.
 * @throws ControlError when the text holds no VCALENDAR or the mailbox does not exist
 */
export function importIcs(
  provider: SandboxServer,
  input: {
    readonly email: string;
    readonly text: string;
    readonly into?: 'new' | 'primary';
    /** For calendars that do not name themselves. */
    readonly fallbackName?: string;
  },
): IcsImport {
  const { calendars, problems } = readIcs(input.text, input.fallbackName);
  const made = calendars.map((calendar) => ({
    calendarId: provider.importCalendar(input.email, calendar, input.into ?? 'new'),
    name: calendar.name,
    events: calendar.events.length,
  }));
  return { calendars: made, problems };
}
