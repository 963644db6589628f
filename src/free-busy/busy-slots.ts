import { clip, type IntervalSet, normalize, type Slot } from './interval-set.ts';

/** What free/busy needs to know of an event or occurrence. */
export interface FreeBusyEvent extends Slot {
  readonly isCancelled?: boolean | null | undefined;
  /** `transparent` events do not take time. @default 'opaque' */
  readonly transparency?: string | null | undefined;
  /** The answer of the account's owner; a `declined` event does not take time. */
  readonly myResponseStatus?: string | null | undefined;
}

/**
 * The busy slots of a window: what its events cover that are neither cancelled nor transparent nor declined, merged
 * (touching ones too), clipped, ascending. Events of no length take no time. Series masters are not to be passed, their
 * occurrences are.
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
