import type { CalendarEvent } from '../../model/index.ts';

/** The three fields that `showAs` shows as one. */
export type Availability = Pick<CalendarEvent, 'transparency' | 'status' | 'eventType'>;

export const DEFAULT_AVAILABILITY: Availability = {
  transparency: 'opaque',
  status: 'confirmed',
  eventType: 'default',
};

/** Returns the state that an event shows by its three fields. */
export function shownAs({ transparency, status, eventType }: Availability): CalendarEvent['showAs'] {
  if (transparency === 'transparent') return 'free';
  if (eventType === 'outOfOffice') return 'oof';
  return status === 'tentative' ? 'tentative' : 'busy';
}

/** Returns the fields after a write of `showAs`: `free` keeps status and type, `oof` the status, the others the type unless it is outOfOffice. */
export function availabilityAs(showAs: CalendarEvent['showAs'], current: Availability): Availability {
  if (showAs === 'free') return { ...current, transparency: 'transparent' };
  const transparency = 'opaque';
  if (showAs === 'oof') return { ...current, transparency, eventType: 'outOfOffice' };
  const eventType = current.eventType === 'outOfOffice' ? 'default' : current.eventType;
  return { transparency, status: showAs === 'tentative' ? 'tentative' : 'confirmed', eventType };
}
