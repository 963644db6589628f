import type { Reminders } from 'kalends/model';
import type { EventContent, EventPatch } from 'kalends/ports';
import { LONGEST_DESCRIPTION, MOST_REMINDERS } from '../capabilities.ts';
import { unsupported } from '../protocol/failure.ts';

/**
 * Refuses the values that no CalDAV server can hold.
 * @throws ProviderError unsupported, naming the field
 */
export function requireHoldable(patch: EventPatch, current: EventContent | null): void {
  const { description, reminders, conferenceData, generateMeetingUrlProvider: meeting } = patch;
  if (description != null && description.length > LONGEST_DESCRIPTION) {
    throw unsupported('description', `must have at most ${LONGEST_DESCRIPTION} characters`);
  }
  if (meeting != null && meeting !== current?.generateMeetingUrlProvider) {
    throw unsupported('generateMeetingUrlProvider', 'a CalDAV server creates no meetings');
  }
  for (const field of PERMISSIONS) {
    if (patch[field] != null && patch[field] !== (current ?? SHOWN_WHEN_NEW)[field]) {
      throw unsupported(field, 'no CalDAV server keeps guests to this');
    }
  }
  if (conferenceData != null) requireConference(conferenceData);
  if (reminders != null) requireReminders(reminders);
}

function requireConference(data: Readonly<Record<string, unknown>>): void {
  const { joinUrl } = data;
  if (typeof joinUrl === 'string' && /^https?:\/\/\S+$/i.test(joinUrl)) return;
  throw unsupported('conferenceData', 'joinUrl must be given, an address with http or https');
}

function requireReminders({ overrides = [], isReminderOn, useDefault }: Reminders): void {
  if (overrides.length > MOST_REMINDERS) throw unsupported('reminders', `there are at most ${MOST_REMINDERS}`);
  if (isReminderOn === false && overrides.length > 0) throw unsupported('reminders', 'overrides need isReminderOn');
  if (useDefault === true && overrides.length > 0) {
    throw unsupported('reminders', 'useDefault and overrides exclude each other');
  }
  if (isReminderOn === true && useDefault !== true && overrides.length === 0) {
    throw unsupported('reminders', 'isReminderOn needs useDefault or overrides');
  }
}

/** Permissions of guests. A property of ours could hold them, and bind no program. */
const PERMISSIONS = [
  'guestsCanModify',
  'guestsCanInviteOthers',
  'guestsCanSeeOtherGuests',
  'allowNewTimeProposals',
] as const;

/** Permissions that every event here shows: a record that was read can be sent as a new event. */
const SHOWN_WHEN_NEW: Pick<EventContent, (typeof PERMISSIONS)[number]> = { guestsCanSeeOtherGuests: true };

/** Returns the patch as texts have it: reminders that are null or say nothing are the calendar's. */
export function withDefaultReminders<Patch extends EventPatch>(patch: Patch): Patch {
  if (patch.reminders === undefined) return patch;
  const { useDefault, isReminderOn, overrides = [] } = patch.reminders ?? {};
  const saysNothing = useDefault === undefined && isReminderOn === undefined && overrides.length === 0;
  return saysNothing ? { ...patch, reminders: { useDefault: true } } : patch;
}

/** Fields that a guest may change: they are of the guest's own copy. */
const OF_THE_GUEST: ReadonlySet<string> = new Set([
  'transparency',
  'showAs',
  'eventType',
  'colorId',
  'customColor',
  'categories',
  'reminders',
  'privateExtendedProperties',
  'isCancelled',
]);

/** Returns the part of a patch that is the organizer's to say. */
export function organizersPart(patch: EventPatch): EventPatch {
  return Object.fromEntries(
    Object.entries(patch).filter(([field, value]) => value !== undefined && !OF_THE_GUEST.has(field)),
  );
}
