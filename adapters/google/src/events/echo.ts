import type { EventContent, EventPatch } from 'kalends/ports';
import { wireReminders } from './event-wire.ts';
import { writeRecurrence } from './recurrence-writing.ts';
import { readReminders, writeReminders } from './reminders.ts';

/** Values of cleared fields; cleared fields that are not listed are absent. */
const CLEARED: Readonly<Record<string, unknown>> = {
  title: '',
  description: '',
  location: '',
  publicExtendedProperties: {},
  privateExtendedProperties: {},
  attendees: [],
  visibility: 'default',
  transparency: 'opaque',
  eventType: 'default',
  reminders: { useDefault: true },
  status: 'confirmed',
  showAs: 'busy',
  categories: [],
  guestsCanModify: false,
  guestsCanInviteOthers: true,
  guestsCanSeeOtherGuests: true,
};

/** Returns true when the event already shows all that a patch sets, so that a write would only raise its version. */
export function isEcho(patch: EventPatch, content: EventContent): boolean {
  const {
    attendees,
    publicExtendedProperties,
    privateExtendedProperties,
    reminders,
    isCancelled,
    recurrence,
    ...plain
  } = patch;
  return (
    isCancelled !== true &&
    hasRecurrence(recurrence, content) &&
    hasProperties(publicExtendedProperties, content.publicExtendedProperties) &&
    hasProperties(privateExtendedProperties, content.privateExtendedProperties) &&
    hasAttendees(attendees, content.attendees) &&
    (reminders === undefined || isSame(asShown(reminders), content.reminders)) &&
    Object.entries(plain).every(([field, value]) => shows(content, field, value))
  );
}

function shows(content: EventContent, field: string, value: unknown): boolean {
  if (value === undefined) return true;
  return isSame(value ?? CLEARED[field], (content as Readonly<Record<string, unknown>>)[field]);
}

/** Compares lines as Google would get them: it reads some rules only in another form than the user's. */
function hasRecurrence(patch: EventPatch['recurrence'], content: EventContent): boolean {
  if (patch === undefined) return true;
  const written = (lines: readonly string[] | null) => writeRecurrence(lines ?? [], content);
  return isSame(written(patch), written(content.recurrence));
}

function hasProperties(
  patch: EventPatch['publicExtendedProperties'],
  current: Readonly<Record<string, string>>,
): boolean {
  if (patch === undefined) return true;
  if (patch === null) return Object.keys(current).length === 0;
  return Object.entries(patch).every(([key, value]) =>
    value === null ? !Object.hasOwn(current, key) : current[key] === value,
  );
}

function hasAttendees(patch: EventPatch['attendees'], current: EventContent['attendees']): boolean {
  if (patch === undefined) return true;
  const wanted = patch ?? [];
  const byEmail = new Map(current.map((attendee) => [attendee.email.toLowerCase(), attendee]));
  return (
    wanted.length === current.length &&
    wanted.every(({ email, name, responseStatus, kind }) => {
      const shown = byEmail.get(email.toLowerCase());
      return (
        shown !== undefined &&
        (kind === undefined || kind === shown.kind) &&
        (name === undefined || (name ?? '') === shown.name) &&
        (responseStatus === undefined || responseStatus === shown.responseStatus)
      );
    })
  );
}

function asShown(reminders: NonNullable<EventPatch['reminders']> | null): EventContent['reminders'] {
  return readReminders(wireReminders.parse(writeReminders(reminders)));
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** Returns JSON with sorted keys: a client may send an object back in another order. */
export function canonicalJson(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
