import type { EventChange } from 'kalends/ports';
import { type ReadContext, readEvent, readSeries } from './event-reading.ts';
import type { EventStore } from './event-store.ts';
import type { WireEvent } from './event-wire.ts';

/** Reads objects of one calendar as changes of the mirror. */
export interface ObjectReader {
  /** The present state of whatever the id names, a series whole; undefined when there is nothing. */
  find(id: string): Promise<EventChange | undefined>;
  /** A series whole, or that it is gone. */
  readSeries(masterId: string): Promise<EventChange>;
  /** What an item of the inventory, already read, comes to: masters are read again with their exceptions. */
  complete(wire: WireEvent): Promise<EventChange>;
}

export function createObjectReader(store: EventStore, context: ReadContext): ObjectReader {
  async function findSeries(masterId: string): Promise<EventChange | undefined> {
    const master = await store.findMaster(masterId);
    if (master === undefined) return undefined;
    // A series whose recurrence was taken away is a single event under the same id.
    if (!master.recurrence) return { kind: 'event', event: readEvent(master, context) };
    return { kind: 'series', ...readSeries(master, context) };
  }

  async function completed(wire: WireEvent): Promise<EventChange> {
    if (wire.type === 'seriesMaster') {
      return (await findSeries(wire.id)) ?? { kind: 'deleted', providerEventId: wire.id };
    }
    if (wire.seriesMasterId) {
      const series = await findSeries(wire.seriesMasterId);
      if (series !== undefined) return series;
    }
    // A single event, or an instance whose master this mailbox does not have.
    return { kind: 'event', event: readEvent(wire, context) };
  }

  return {
    async find(id) {
      const wire = await store.find(id);
      return wire === undefined ? undefined : completed(wire);
    },
    readSeries: async (masterId) => (await findSeries(masterId)) ?? { kind: 'deleted', providerEventId: masterId },
    complete: completed,
  };
}
