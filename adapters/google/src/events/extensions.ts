import type { CalendarEvent } from 'kalends/model';
import {
  type Availability,
  availabilityAs,
  DEFAULT_AVAILABILITY,
  type EventContent,
  type EventPatch,
  shownAs,
} from 'kalends/ports';
import { unsupported } from '../transport/google-failure.ts';
import type { WireEvent } from './event-wire.ts';

/** Content beyond the specification. */
type Extensions = Pick<
  EventContent,
  | 'status'
  | 'showAs'
  | 'categories'
  | 'guestsCanModify'
  | 'guestsCanInviteOthers'
  | 'guestsCanSeeOtherGuests'
  | 'hasAttachments'
  | 'providerEventType'
>;

/** Maps the fields beyond the specification. Google leaves permissions out where they have their defaults. */
export function readExtensions(
  wire: WireEvent,
  { transparency, eventType }: Pick<CalendarEvent, 'transparency' | 'eventType'>,
): Extensions {
  const status = wire.status === 'tentative' ? 'tentative' : 'confirmed';
  return {
    status,
    showAs: shownAs({ transparency, status, eventType }),
    categories: [],
    guestsCanModify: wire.guestsCanModify ?? false,
    guestsCanInviteOthers: wire.guestsCanInviteOthers ?? true,
    guestsCanSeeOtherGuests: wire.guestsCanSeeOtherGuests ?? true,
    hasAttachments: (wire.attachments ?? []).length > 0,
    providerEventType: wire.eventType ?? 'default',
  };
}

/** Returns the properties of a body for the fields beyond the specification. @throws ProviderError unsupported for those that Google lacks */
export function writeExtensions(patch: EventPatch): Readonly<Record<string, unknown>> {
  if (patch.categories != null && patch.categories.length > 0) {
    throw unsupported('categories', 'Google has no categories of events');
  }
  if (patch.locationDetails != null) throw unsupported('locationDetails', 'Google has the text of location alone');
  if (patch.allowNewTimeProposals != null) {
    throw unsupported('allowNewTimeProposals', 'Google has no such permission');
  }
  const fields = {
    status: patch.status === null ? 'confirmed' : patch.status,
    guestsCanModify: patch.guestsCanModify === null ? false : patch.guestsCanModify,
    guestsCanInviteOthers: patch.guestsCanInviteOthers === null ? true : patch.guestsCanInviteOthers,
    guestsCanSeeOtherGuests: patch.guestsCanSeeOtherGuests === null ? true : patch.guestsCanSeeOtherGuests,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/**
 * Returns a patch with `showAs` spelled out as the fields that Google has.
 * @throws ProviderError unsupported, naming `showAs`
 */
export function withoutShowAs(
  { showAs, ...patch }: EventPatch,
  content: EventContent | undefined,
  isPrimary: boolean,
): EventPatch {
  if (showAs === undefined) return patch;
  if (showAs === null) return { transparency: 'opaque', status: 'confirmed', ...patch };
  if (showAs === 'workingElsewhere') throw unsupported('showAs', 'Google has working locations, not a state of events');
  const current: Availability = content ?? DEFAULT_AVAILABILITY;
  const { transparency, status, eventType } = availabilityAs(showAs, current);
  const isOtherType = eventType !== current.eventType;
  if (isOtherType && (content !== undefined || !isPrimary)) {
    throw unsupported('showAs', 'Google has out of office as a type of new events on the primary calendar');
  }
  return { transparency, status, ...(isOtherType ? { eventType } : {}), ...patch };
}
