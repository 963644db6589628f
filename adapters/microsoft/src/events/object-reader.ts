import type { EventChange } from 'kalends/ports';
import { type ReadContext, readEvent, readSeries } from './event-reading.ts';
import type { EventStore } from './event-store.ts';
import type { WireEvent, WireMaster } from './event-wire.ts';

/** Reads objects of one calendar as changes of the mirror. */
export interface ObjectReader {
  /**
   * Returns the present state of the object under the id, a series whole; undefined when there is none. `isSeries` is the
   * caller's guess: a right one saves a call.
   */
  find(id: string, isSeries?: boolean): Promise<EventChange | undefined>;
  /** Returns a whole series, or its deletion. */
  readSeries(masterId: string): Promise<EventChange>;
  /** Returns the change of an inventory item: masters are read again with their exceptions. */
  complete(wire: WireEvent): Promise<EventChange>;
}

export function createObjectReader(store: EventStore, context: ReadContext): ObjectReader {
  async function findSeries(masterId: string): Promise<EventChange | undefined> {
    const master = await store.findMaster(masterId);
    return master === undefined ? undefined : changeOf(master);
  }

  function changeOf(master: WireMaster): EventChange {
    // A series whose recurrence was removed is a single event under the same id.
    if (!master.recurrence) return { kind: 'event', event: readEvent(master, context) };
    return { kind: 'series', ...readSeries(master, context) };
  }

  async function completed(wire: WireEvent): Promise<EventChange> {
    if (wire.type === 'seriesMaster') {
      return (await findSeries(wire.id)) ?? { kind: 'deleted', providerEventId: wire.id };
    }
    return await completedInstance(wire);
  }

  async function completedInstance(wire: WireEvent): Promise<EventChange> {
    if (wire.seriesMasterId) {
      const series = await findSeries(wire.seriesMasterId);
      if (series !== undefined) return series;
    }
    // A single event, or an instance whose master this mailbox does not have.
    return { kind: 'event', event: readEvent(wire, context) };
  }

  return {
    async find(id, isSeries = false) {
      const wire = await store.findWhole(id, isSeries);
      if (wire === undefined) return undefined;
      return wire.type === 'seriesMaster' ? changeOf(wire) : await completedInstance(wire);
    },
    readSeries: async (masterId) => (await findSeries(masterId)) ?? { kind: 'deleted', providerEventId: masterId },
    complete: completed,
  };
}
