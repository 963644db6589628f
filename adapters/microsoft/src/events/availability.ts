import type { CalendarEvent } from 'kalends/model';
import { type EventPatch, ProviderError } from 'kalends/ports';
import type { WireEvent } from './event-wire.ts';
import type { KeptDetails } from './kept-properties.ts';

export type Availability = Pick<CalendarEvent, 'transparency' | 'eventType'>;

/** Maps how an event blocks time. `oof` is out of office; `free` blocks nothing; everything else blocks. */
export function readAvailability(showAs: string | null | undefined, details: KeptDetails): Availability {
  if (showAs === 'oof') return { transparency: 'opaque', eventType: 'outOfOffice' };
  if (showAs !== 'free') return { transparency: 'opaque', eventType: 'default' };
  return { transparency: 'transparent', eventType: details.eventType ?? 'default' };
}

/**
 * Returns the availability to write for a patch of transparency or event type; undefined when neither changes it. A state
 * beyond the model (tentative, working elsewhere) stays while it fits.
 * @throws ProviderError unsupported for focus time
 */
export function writeAvailability(
  patch: EventPatch,
  before: WireEvent | null,
  details: KeptDetails,
): { readonly showAs: string; readonly eventType: KeptDetails['eventType'] } | undefined {
  if (patch.transparency === undefined && patch.eventType === undefined) return undefined;
  if (patch.eventType === 'focusTime') {
    throw new ProviderError('unsupported', 'Graph has no focus time', { field: 'eventType' });
  }
  const current = readAvailability(before?.showAs, details);
  const wanted: Availability = {
    transparency: patch.transparency === undefined ? current.transparency : (patch.transparency ?? 'opaque'),
    eventType: patch.eventType === undefined ? current.eventType : (patch.eventType ?? 'default'),
  };
  if (before !== null && wanted.transparency === current.transparency && wanted.eventType === current.eventType) {
    return undefined;
  }
  return showAsOf(wanted);
}

/** Graph's form of an availability, and the properties beside it. */
export function showAsOf({ transparency, eventType }: Availability): {
  readonly showAs: string;
  readonly eventType: KeptDetails['eventType'];
} {
  const isAway = eventType === 'outOfOffice';
  if (transparency === 'transparent') return { showAs: 'free', eventType: isAway ? 'outOfOffice' : undefined };
  return { showAs: isAway ? 'oof' : 'busy', eventType: undefined };
}

/** Maps the visibility. Graph has no `public`: a property beside a normal sensitivity records it. */
export function readVisibility(
  sensitivity: string | null | undefined,
  details: KeptDetails,
): CalendarEvent['visibility'] {
  if (sensitivity === 'private' || sensitivity === 'personal') return 'private';
  if (sensitivity === 'confidential') return 'confidential';
  return details.visibility ?? 'default';
}

/** Returns the sensitivity of a visibility. */
export function writeVisibility(visibility: CalendarEvent['visibility'] | null): {
  readonly sensitivity: string;
  readonly visibility: KeptDetails['visibility'];
} {
  if (visibility === 'private' || visibility === 'confidential') {
    return { sensitivity: visibility, visibility: undefined };
  }
  return { sensitivity: 'normal', visibility: visibility === 'public' ? 'public' : undefined };
}
