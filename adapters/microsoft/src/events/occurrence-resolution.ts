import type { EventTarget, RecurrenceId } from 'kalends/ports';
import { DAY_MS, parseWall } from 'kalends/zones';
import { type ReadContext, slotOfInstance } from './event-reading.ts';
import type { EventStore } from './event-store.ts';
import { isSameSlot } from './event-times.ts';
import type { WireEvent } from './event-wire.ts';

/** An occurrence to write to. */
export type OccurrenceTarget = Extract<EventTarget, { readonly kind: 'occurrence' }>;

/**
 * Returns Graph's object for a slot of a series; undefined when the slot was deleted or never existed. An unknown id is
 * looked up among the instances around the slot, that of a moved slot among the exceptions.
 */
export async function findInstance(
  store: EventStore,
  target: Pick<OccurrenceTarget, 'seriesId' | 'recurrenceId'> & { readonly knownId?: string },
  context: ReadContext,
): Promise<WireEvent | undefined> {
  if (target.knownId) {
    const known = await store.find(target.knownId);
    // A change of the pattern gives slots new ids.
    if (known !== undefined) return known;
  }
  const master = await store.findMaster(target.seriesId);
  if (master === undefined) return undefined;
  const isSlot = (wire: WireEvent): boolean => isSameSlot(slotOfInstance(wire, master, context), target.recurrenceId);
  const exception = master.exceptionOccurrences?.find(isSlot);
  if (exception !== undefined) return exception;
  const at = instantNear(target.recurrenceId);
  // All-day slots float: days of UTC are compared.
  const instances = await store.listInstances(target.seriesId, at - DAY_MS, at + 2 * DAY_MS);
  return instances.find(isSlot);
}

function instantNear(slot: RecurrenceId): number {
  return slot.kind === 'instant' ? slot.startMs : (parseWall(slot.date)?.wallMs ?? 0);
}
