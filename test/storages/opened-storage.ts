import { type ManualClock, manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import type { Storage } from 'kalends/ports';
import { virtualTime } from '../simulation/virtual-time.ts';
import { openHeldStorage } from './held-storage.ts';

/** A storage that goes by a clock which stands still until it is advanced. */
export interface OpenedStorage {
  readonly clock: ManualClock;
  readonly storage: Storage;
}

/** SQLite in memory: its statements take no more than a turn of the event loop, and time need not wait for them. */
export async function openInMemory(): Promise<OpenedStorage> {
  const clock = manualClock();
  const storage = sqlite({ path: ':memory:', clock });
  await storage.open();
  return { clock, storage };
}

/**
 * The storage in a database, a path or an address as `storageAt` takes it. When its clock is advanced, time waits for
 * the statements that are on their way, and for what follows from them.
 */
export async function openPatiently(database: string): Promise<OpenedStorage> {
  const time = virtualTime();
  const storage = await openHeldStorage(database, time);
  const clock: ManualClock = {
    now: time.now,
    // Databases keep whole milliseconds, as the system's clock gives them.
    sleep: (ms, signal) => time.sleep(Math.ceil(ms), signal),
    advance: time.pass,
    get sleeping() {
      return time.sleeping;
    },
  };
  return { clock, storage };
}
