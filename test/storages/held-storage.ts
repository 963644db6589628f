import type { Clock, Storage } from 'kalends/ports';
import type { VirtualTime } from '../simulation/virtual-time.ts';
import { storageAt } from './storage-at.ts';

/**
 * Opens the storage in a database that virtual time waits for: nothing grows old while a statement is on its way.
 * @param database a path or an address, as `storageAt` takes it
 */
export async function openHeldStorage(database: string, time: Clock & Pick<VirtualTime, 'hold'>): Promise<Storage> {
  const storage = await storageAt(database, time);
  await storage.open();
  return holding(storage, time.hold);
}

/** Holds every method of a storage and of its stores. */
function holding<Part extends object>(whole: Part, hold: VirtualTime['hold']): Part {
  const wrap = ([name, part]: [string, unknown]): [string, unknown] => {
    // Its answers are no promises.
    if (name === 'changes' || part === null) return [name, part];
    if (typeof part === 'function') return [name, (...given: unknown[]) => hold(async () => part(...given))];
    return [name, typeof part === 'object' ? holding(part, hold) : part];
  };
  return Object.fromEntries(Object.entries(whole).map(wrap)) as Part;
}
