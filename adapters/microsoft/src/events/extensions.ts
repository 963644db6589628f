import { type EventContent, type EventPatch, ProviderError } from 'kalends/ports';
import type { WireEvent } from './event-wire.ts';
import { readLocationDetails } from './location.ts';

/** Content beyond the specification, `showAs` and status aside. */
type Extensions = Pick<
  EventContent,
  'categories' | 'locationDetails' | 'guestsCanSeeOtherGuests' | 'allowNewTimeProposals' | 'hasAttachments'
>;

/** Maps the fields beyond the specification. */
export function readExtensions(wire: WireEvent): Extensions {
  const locationDetails = readLocationDetails(wire.location);
  return {
    categories: wire.categories ?? [],
    guestsCanSeeOtherGuests: wire.hideAttendees !== true,
    allowNewTimeProposals: wire.allowNewTimeProposals !== false,
    hasAttachments: wire.hasAttachments === true,
    ...(locationDetails === undefined ? {} : { locationDetails }),
  };
}

/**
 * Returns the properties of a body for the fields beyond the specification, those that differ from `before`. An occurrence's own
 * value is sent even when equal to its series', so that Exchange keeps it.
 * @throws ProviderError unsupported for those that Graph lacks
 */
export function writeExtensions(
  patch: EventPatch,
  before: WireEvent | null,
  isInstance: boolean,
): Readonly<Record<string, unknown>> {
  for (const field of ['guestsCanModify', 'guestsCanInviteOthers'] as const) {
    if (patch[field] != null) throw new ProviderError('unsupported', 'Graph has no such permission', { field });
  }
  const { categories, guestsCanSeeOtherGuests, allowNewTimeProposals } = patch;
  const wanted = {
    ...(categories === undefined ? {} : { categories: categories ?? [] }),
    ...(guestsCanSeeOtherGuests === undefined ? {} : { hideAttendees: guestsCanSeeOtherGuests === false }),
    ...(allowNewTimeProposals === undefined ? {} : { allowNewTimeProposals: allowNewTimeProposals ?? true }),
  };
  if (isInstance || before === null) return wanted;
  const present: Readonly<Record<string, unknown>> = {
    categories: before.categories ?? [],
    hideAttendees: before.hideAttendees === true,
    allowNewTimeProposals: before.allowNewTimeProposals !== false,
  };
  const isNew = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(present[name]);
  return Object.fromEntries(Object.entries(wanted).filter(isNew));
}
