import type { Clock } from '../ports/index.ts';

/** Reads in as many different minutes of one hour make a calendar one that is read often. */
const OFTEN = 10;
const WINDOW_MS = 3_600_000;
const MOST_REMEMBERED = 10_000;

/** Tells which collections are read often through this process. */
export interface ReadCounter {
  /** Notes a minute with reads; true when there have been enough of them lately, which starts the count anew. */
  note(name: string): boolean;
}

export function createReadCounter(clock: Clock): ReadCounter {
  const counts = new Map<string, { readonly minutes: number; readonly since: number }>();

  /** The oldest counts go first: whoever is read often comes back soon. */
  function forgetOldest(): void {
    for (const name of counts.keys()) {
      if (counts.size <= MOST_REMEMBERED) return;
      counts.delete(name);
    }
  }

  return {
    note(name) {
      const now = clock.now();
      const known = counts.get(name);
      const isRunning = known !== undefined && now - known.since < WINDOW_MS;
      const minutes = isRunning ? known.minutes + 1 : 1;
      if (minutes >= OFTEN) {
        counts.delete(name);
        return true;
      }
      counts.set(name, { minutes, since: isRunning ? known.since : now });
      forgetOldest();
      return false;
    },
  };
}
