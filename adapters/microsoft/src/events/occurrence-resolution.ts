import type { EventTarget, SlotStart } from 'kalends/ports';
import { DAY_MS, parseWall } from 'kalends/zones';
import { type ReadContext, slotOfInstance } from './event-reading.ts';
import type { EventStore } from './event-store.ts';
import { isSameSlot } from './event-times.ts';
import type { WireEvent } from './event-wire.ts';

/** An occurrence to write to. */
export type OccurrenceTarget = Extract<EventTarget, { readonly kind: 'occurrence' }>;

/**
 * Graph's object for a slot of a series; undefined when the slot was deleted or never was. Its id is opaque, so unless
 * it is known it is looked up among the instances around the slot, and a slot that was moved away among the exceptions.
 */
export async function findInstance(
  store: EventStore,
  target: Pick<OccurrenceTarget, 'seriesId' | 'originalStart'> & { readonly knownId?: string },
  context: ReadContext,
): Promise<WireEvent | undefined> {
  if (target.knownId) {
    const known = await store.find(target.knownId);
    // A change of the pattern gives slots new ids.
    if (known !== undefined) return known;
  }
  const master = await store.findMaster(target.seriesId);
  if (master === undefined) return undefined;
  const isSlot = (wire: WireEvent): boolean => isSameSlot(slotOfInstance(wire, master, context), target.originalStart);
  const exception = master.exceptionOccurrences?.find(isSlot);
  if (exception !== undefined) return exception;
  const at = instantNear(target.originalStart);
  // All-day slots float, and are matched as days of UTC.
  const instances = await store.listInstances(target.seriesId, at - DAY_MS, at + 2 * DAY_MS);
  return instances.find(isSlot);
}

function instantNear(slot: SlotStart): number {
  return slot.kind === 'instant' ? slot.startMs : (parseWall(slot.date)?.wallMs ?? 0);
}
