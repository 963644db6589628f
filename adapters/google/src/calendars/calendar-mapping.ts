import type { ProviderCalendar } from 'kalends/ports';
import { resolveZone } from 'kalends/zones';
import type { WireCalendarEntry } from './calendar-wire.ts';

/** Colour of a first calendar at Google; the default where none is known. */
export const DEFAULT_CALENDAR_COLOR = '#9fe1e7';

/** End of the ids of secondary calendars; a primary one has the address of its mailbox. */
const SECONDARY = '@group.calendar.google.com';

const PREFERRED_CONFERENCE = 'hangoutsMeet';

/**
 * Maps an entry of the calendar list as the mailbox sees it. `email` is its address when it was connected, `present` the one that it
 * has now.
 */
export function readCalendar(entry: WireCalendarEntry, email: string, present: string): ProviderCalendar {
  const allowed = entry.conferenceProperties?.allowedConferenceSolutionTypes ?? [];
  const isPrimary = entry.primary === true;
  return {
    id: entry.id,
    providerTag: entry.etag ?? null,
    name: entry.summaryOverride ?? entry.summary ?? '',
    hexColor: entry.backgroundColor ?? DEFAULT_CALENDAR_COLOR,
    readOnly: entry.accessRole === 'freeBusyReader' || entry.accessRole === 'reader',
    isPrimary,
    isShared: !isOwn(entry, email, present),
    timeZone: (entry.timeZone == null ? undefined : resolveZone(entry.timeZone)) ?? 'UTC',
    inviteEmail: isPrimary ? email : entry.id,
    allowedOnlineMeetingProviders: allowed,
    defaultOnlineMeetingProvider: allowed.includes(PREFERRED_CONFERENCE) ? PREFERRED_CONFERENCE : (allowed[0] ?? ''),
  };
}

/**
 * Tells whether a calendar is the mailbox's own, by its present address or an earlier one. The role of an owner does not make it
 * so: an assistant may have it on the primary calendar of another person, for which Google names no owner.
 */
export function isOwn(entry: WireCalendarEntry, ...addresses: readonly string[]): boolean {
  const { id, primary, accessRole, dataOwner } = entry;
  if (accessRole !== 'owner') return false;
  if (dataOwner == null) return primary === true || id.endsWith(SECONDARY);
  return addresses.some((address) => isSameAddress(dataOwner, address));
}

function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Returns black or white, the more legible on `#rrggbb` (ITU-R BT.601 brightness). */
export function foregroundOf(hexColor: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hexColor.slice(at, at + 2), 16));
  return (red * 299 + green * 587 + blue * 114) / 1000 >= 128 ? '#000000' : '#ffffff';
}
