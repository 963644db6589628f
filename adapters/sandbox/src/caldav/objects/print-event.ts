import type { IcsEvent } from '../../kernel/kernel.ts';
import { zoneText } from '../zone-text.ts';

const escapeText = (text: string): string =>
  text.replaceAll(/[\\;,]/g, (sign) => `\\${sign}`).replaceAll(/\r?\n/g, '\\n');

/** Returns `20260302T090000`, or `20260302` for a date. */
const compact = (wall: string): string => wall.replaceAll(/[-:]/g, '');

function timeLine(name: string, wall: string, timeZone: string | null): string {
  if (!wall.includes('T')) return `${name};VALUE=DATE:${compact(wall)}`;
  if (timeZone === null) return `${name}:${compact(wall)}`;
  return timeZone === 'UTC' ? `${name}:${compact(wall)}Z` : `${name};TZID=${timeZone}:${compact(wall)}`;
}

function eventLines(
  event: IcsEvent,
  stamp: string,
  organizer: IcsEvent['organizer'],
  seriesZone: string | null,
): readonly string[] {
  const person = ({ email, name }: { readonly email: string; readonly name: string }): string =>
    `${name === '' ? '' : `;CN="${name.replaceAll('"', "'")}"`}:mailto:${email}`;
  const status = event.cancelled ? 'CANCELLED' : event.isTentative === true ? 'TENTATIVE' : 'CONFIRMED';
  return [
    'BEGIN:VEVENT',
    `UID:${event.uid}`,
    `DTSTAMP:${stamp}`,
    ...(event.recurrenceId === null ? [] : [timeLine('RECURRENCE-ID', event.recurrenceId, seriesZone)]),
    timeLine('DTSTART', event.dtstart, event.timeZone),
    timeLine('DTEND', event.dtend, event.timeZone),
    `SUMMARY:${escapeText(event.summary)}`,
    ...(event.description === '' ? [] : [`DESCRIPTION:${escapeText(event.description)}`]),
    ...(event.location === '' ? [] : [`LOCATION:${escapeText(event.location)}`]),
    ...event.recurrence,
    `STATUS:${status}`,
    `TRANSP:${event.transparent ? 'TRANSPARENT' : 'OPAQUE'}`,
    ...(event.visibility === 'default' ? [] : [`CLASS:${event.visibility.toUpperCase()}`]),
    ...(event.categories === undefined ? [] : [`CATEGORIES:${event.categories.map(escapeText).join(',')}`]),
    ...(organizer === null ? [] : [`ORGANIZER${person(organizer)}`]),
    ...event.attendees.map((attendee) => {
      const role = attendee.kind === 'optional' ? ';ROLE=OPT-PARTICIPANT' : '';
      const type = attendee.kind === 'resource' ? ';CUTYPE=RESOURCE' : '';
      return `ATTENDEE;PARTSTAT=${attendee.partstat}${role}${type}${person(attendee)}`;
    }),
    'END:VEVENT',
  ];
}

/** Prints all components of one UID as a body, with the zones that it names. */
export function printEvents(
  events: readonly IcsEvent[],
  options: { readonly nowMs: number; readonly owner: { readonly email: string; readonly name: string } },
): string {
  const stamp = new Date(options.nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const [first] = events;
  const isMeeting = events.some(({ attendees }) => attendees.length > 0);
  const organizer = events.find((event) => event.organizer !== null)?.organizer ?? (isMeeting ? options.owner : null);
  const zones = new Set(events.flatMap(({ timeZone }) => (timeZone === null || timeZone === 'UTC' ? [] : [timeZone])));
  const year = Number(first?.dtstart.slice(0, 4) ?? 1970);
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//kalends//sandbox//EN',
    ...[...zones].map((zone) => zoneText(zone, year)),
    ...events.flatMap((event) => eventLines(event, stamp, organizer, first?.timeZone ?? null)),
    'END:VCALENDAR',
  ];
  return `${lines
    .flatMap((line) => line.split('\r\n'))
    .map(fold)
    .join('\r\n')}\r\n`;
}

/** Folds a line at 75 octets (RFC 5545 §3.1). */
function fold(line: string): string {
  if (Buffer.byteLength(line) <= 75) return line;
  const parts: string[] = [];
  let part = '';
  for (const sign of line) {
    if (Buffer.byteLength(part + sign) > (parts.length === 0 ? 75 : 74)) {
      parts.push(part);
      part = '';
    }
    part += sign;
  }
  return [...parts, part].join('\r\n ');
}
