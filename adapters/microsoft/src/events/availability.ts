import type { CalendarEvent } from 'kalends/model';
import {
  type Availability,
  availabilityAs,
  DEFAULT_AVAILABILITY,
  type EventPatch,
  ProviderError,
  shownAs,
} from 'kalends/ports';
import type { WireEvent } from './event-wire.ts';
import type { KeptDetails } from './kept-properties.ts';

type ShowAs = CalendarEvent['showAs'];

/** The three fields that Graph stores as one. */
export const AVAILABILITY = ['transparency', 'eventType', 'status'] as const;

/** Graph's form of an availability, and the properties beside it. */
export interface WireAvailability {
  readonly showAs: string;
  readonly eventType: KeptDetails['eventType'];
  readonly status: KeptDetails['status'];
}

/** Maps the state of an event. A state that is not known blocks time. */
export function readShowAs(showAs: string | null | undefined): ShowAs {
  const known: readonly ShowAs[] = ['free', 'tentative', 'busy', 'oof', 'workingElsewhere'];
  return known.find((state) => state === showAs) ?? 'busy';
}

/** Maps how an event blocks time; what the state does not say of type and status is recorded beside it. */
export function readAvailability(showAs: string | null | undefined, details: KeptDetails): Availability {
  const status = details.status ?? 'confirmed';
  switch (showAs) {
    case 'free':
      return { transparency: 'transparent', eventType: details.eventType ?? 'default', status };
    case 'oof':
      return { transparency: 'opaque', eventType: 'outOfOffice', status };
    case 'tentative':
      return { ...DEFAULT_AVAILABILITY, status: 'tentative' };
    default:
      return DEFAULT_AVAILABILITY;
  }
}

/**
 * Returns the availability to write for a patch of `showAs` or of one of its parts; undefined when nothing changes. Working
 * elsewhere stays while the parts fit.
 * @throws ProviderError unsupported for focus time
 */
export function writeAvailability(
  patch: EventPatch,
  before: WireEvent | null,
  details: KeptDetails,
): WireAvailability | undefined {
  if (patch.showAs === undefined && AVAILABILITY.every((field) => patch[field] === undefined)) return undefined;
  if (patch.eventType === 'focusTime') {
    throw new ProviderError('unsupported', 'Graph has no focus time', { field: 'eventType' });
  }
  const current = before === null ? DEFAULT_AVAILABILITY : readAvailability(before.showAs, details);
  const wanted = wantedAvailability(patch, current);
  const showAs = patch.showAs === undefined ? undefined : (patch.showAs ?? 'busy');
  const isSameState = showAs === undefined || showAs === readShowAs(before?.showAs);
  if (before !== null && isSameState && isSame(wanted, current)) return undefined;
  return showAs === 'workingElsewhere' ? { showAs, eventType: undefined, status: undefined } : showAsOf(wanted);
}

/** Returns the three fields after a patch. */
export function wantedAvailability({ showAs, ...patch }: EventPatch, current: Availability): Availability {
  const base = showAs === undefined ? current : availabilityAs(showAs ?? 'busy', current);
  return {
    transparency: patch.transparency === undefined ? base.transparency : (patch.transparency ?? 'opaque'),
    eventType: patch.eventType === undefined ? base.eventType : (patch.eventType ?? 'default'),
    status: patch.status === undefined ? base.status : (patch.status ?? 'confirmed'),
  };
}

function isSame(left: Availability, right: Availability): boolean {
  return AVAILABILITY.every((field) => left[field] === right[field]);
}

/** Returns Graph's form of an availability. */
export function showAsOf(availability: Availability): WireAvailability {
  const showAs = shownAs(availability);
  const { eventType, status } = availability;
  const isTentative = status === 'tentative' && showAs !== 'tentative';
  return {
    showAs,
    eventType: eventType === 'outOfOffice' && showAs !== 'oof' ? 'outOfOffice' : undefined,
    status: isTentative ? 'tentative' : undefined,
  };
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
