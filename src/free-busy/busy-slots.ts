import { clip, type IntervalSet, normalize, type Slot } from './interval-set.ts';

/** Fields of an event or occurrence that free/busy depends on. */
export interface FreeBusyEvent extends Slot {
  readonly isCancelled?: boolean | null | undefined;
  /** `transparent` events are not busy. @default 'opaque' */
  readonly transparency?: string | null | undefined;
  /** Response of the account's owner; a `declined` event is not busy. */
  readonly myResponseStatus?: string | null | undefined;
}

/**
 * Returns the busy slots of a window: the time of all events that are not cancelled, transparent or declined; merged
 * (touching ones too), clipped, ascending. Events of zero length are not busy. Pass occurrences, not series masters.
 */
export function busySlots(events: Iterable<FreeBusyEvent>, window: Slot): IntervalSet {
  return clip(normalize(busyOnes(events)), window);
}

function* busyOnes(events: Iterable<FreeBusyEvent>): Generator<Slot> {
  for (const event of events) {
    const isFree =
      event.isCancelled === true || event.transparency === 'transparent' || event.myResponseStatus === 'declined';
    if (!isFree) yield event;
  }
}
