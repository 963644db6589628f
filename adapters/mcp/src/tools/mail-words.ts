import type { CalendarEvent, NotifyAttendees } from 'kalends/model';
import { quotedName } from '../words/quoted.ts';

const NAMED = 10;

/**
 * Says which attendees get the provider's mail about a write. `own` is the account's address, which gets none; the addresses are
 * undefined where they cannot be read.
 */
export function mailWords(
  emails: readonly string[] | undefined,
  own: string,
  notify: NotifyAttendees | undefined,
  about: string,
): string {
  if (emails === undefined) {
    return notify === 'none'
      ? 'Mail: none. Attendees, who cannot be read here, are not told.'
      : `Mail: the provider may tell attendees ${about}; who they are cannot be read here.`;
  }
  const others = [...new Set(emails)].filter((email) => email.toLowerCase() !== own.toLowerCase());
  if (others.length === 0) return 'Mail: none. The event has no other attendees.';
  const names = others.slice(0, NAMED).map(quotedName).join(', ');
  const rest = others.length > NAMED ? ` and ${others.length - NAMED} more` : '';
  switch (notify) {
    case 'none':
      return `Mail: none. Attendees are not told: ${names}${rest}.`;
    case 'external':
      return `Mail: the provider tells attendees outside its own service ${about}, of: ${names}${rest}.`;
    default:
      return `Mail: the provider tells the attendees ${about}: ${names}${rest}.`;
  }
}

/** Returns the addresses of an event's attendees. */
export function attendeesOf({ attendees }: CalendarEvent): readonly string[] {
  return attendees.map(({ email }) => email);
}

/** Returns the addresses of an event's people. One that is organized for the account or the calendar's owner tells no organizer. */
export function peopleOf(event: CalendarEvent): readonly string[] {
  const { organizer } = event;
  const told = organizer?.isSelf === false ? organizer.email : undefined;
  return [...attendeesOf(event), ...(told === undefined ? [] : [told])];
}
