import { type EventChange, type GetOptions, readObject, readObjectLater } from 'kalends/ports';
import { type ReadContext, readEvent, readSeries } from './event-reading.ts';
import type { EventStore } from './event-store.ts';
import type { ListedEvent, WireEvent, WireMaster } from './event-wire.ts';
import { isCut } from './kept-properties.ts';

/** Reads objects of one calendar as changes of the mirror. */
export interface ObjectReader {
  /**
   * Returns the present state of the object under the id, a series whole; undefined when there is none. `isSeries` is the
   * caller's guess: a right one saves a call. With `mustBeListed`, an object that no list of the calendar has is none.
   */
  find(id: string, options?: GetOptions): Promise<EventChange | undefined>;
  /** Returns a whole series, or its deletion. */
  readSeries(masterId: string): Promise<EventChange>;
  /** Returns the change of an inventory item. Masters are read again with their exceptions, and events that the list cut. */
  complete(wire: ListedEvent): Promise<EventChange>;
}

export function createObjectReader(store: EventStore, context: ReadContext): ObjectReader {
  function findSeries(masterId: string): Promise<EventChange | undefined> {
    return readObjectLater({ providerEventId: masterId, seriesId: null }, async () => {
      const master = await store.findMaster(masterId);
      return master && changeOf(master);
    });
  }

  function changeOf(master: WireMaster): EventChange {
    // A series whose recurrence was removed is a single event under the same id.
    if (!master.recurrence) return { kind: 'event', event: readEvent(master, context) };
    return { kind: 'series', ...readSeries(master, context) };
  }

  async function completed(wire: ListedEvent): Promise<EventChange> {
    if ('kind' in wire) return wire;
    if (wire.type === 'seriesMaster') {
      return (await findSeries(wire.id)) ?? { kind: 'deleted', providerEventId: wire.id };
    }
    if (!isCut(wire.singleValueExtendedProperties)) return await completedInstance(wire);
    return (await find(wire.id)) ?? { kind: 'deleted', providerEventId: wire.id };
  }

  async function completedInstance(wire: WireEvent): Promise<EventChange> {
    if (wire.seriesMasterId) {
      const series = await findSeries(wire.seriesMasterId);
      if (series !== undefined) return series;
    }
    // A single event, or an instance whose master this mailbox does not have.
    const about = { providerEventId: wire.id, seriesId: wire.seriesMasterId || null };
    return readObject(about, () => ({ kind: 'event', event: readEvent(wire, context) }));
  }

  /** Lists show an instance by its master. */
  async function isListed(wire: WireEvent): Promise<boolean> {
    const master = wire.seriesMasterId ? await store.find(wire.seriesMasterId) : undefined;
    return await store.isListed(master ?? wire);
  }

  function find(id: string, { isSeries = false, mustBeListed = false }: GetOptions = {}) {
    return readObjectLater({ providerEventId: id, seriesId: null }, async () => {
      const wire = await store.findWhole(id, isSeries);
      if (wire === undefined || (mustBeListed && !(await isListed(wire)))) return undefined;
      return wire.type === 'seriesMaster' ? changeOf(wire) : await completedInstance(wire);
    });
  }

  return {
    find,
    readSeries: async (masterId) => (await findSeries(masterId)) ?? { kind: 'deleted', providerEventId: masterId },
    complete: completed,
  };
}
