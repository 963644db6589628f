import { type EventTarget, ProviderError, type RecurrenceId, separateUnreadable } from 'kalends/ports';
import { DAY_MS, parseWall } from 'kalends/zones';
import { checkSlot } from './check-event.ts';
import { dateOfSlotStart, deletedDates, type ReadContext, slotOfInstance } from './event-reading.ts';
import type { EventStore } from './event-store.ts';
import { isSameSlot } from './event-times.ts';
import type { WireEvent } from './event-wire.ts';
import { isCut } from './kept-properties.ts';

/** An occurrence to write to. */
export type OccurrenceTarget = Extract<EventTarget, { readonly kind: 'occurrence' }>;

/**
 * Returns Graph's object for a slot of a series; undefined when the slot was deleted or never existed. An unknown id is
 * looked up among the instances around the slot, that of a moved slot among the exceptions.
 * @throws ProviderError unreadable for a slot whose object cannot be read
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
  const { recurrenceId } = target;
  const isSlot = (wire: WireEvent): boolean => isSameSlot(slotOfInstance(wire, master, context), recurrenceId);
  const exception = master.exceptionOccurrences?.find(isSlot);
  if (exception !== undefined) return exception;
  const at = instantNear(recurrenceId);
  // All-day slots float: days of UTC are compared.
  const listed = await store.listInstances(target.seriesId, at - DAY_MS, at + 2 * DAY_MS);
  const { readable: instances, unreadable } = separateUnreadable(listed.map((each) => checkSlot(each, master.id)));
  const instance = instances.find(isSlot);
  if (instance && isCut(instance.singleValueExtendedProperties)) return await store.find(instance.id);
  if (instance !== undefined || deletedDates(master).has(dateOfSlotStart(recurrenceId, master, context)))
    return instance;
  // The slot may be that of an unreadable instance: without one it would count as gone.
  const [odd] = [...unreadable, ...(master.unreadableExceptions ?? [])];
  if (odd !== undefined) throw new ProviderError('unreadable', odd.reason);
  return undefined;
}

function instantNear(slot: RecurrenceId): number {
  return slot.kind === 'instant' ? slot.startMs : (parseWall(slot.date)?.wallMs ?? 0);
}
