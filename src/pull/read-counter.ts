import type { Clock } from '../ports/index.ts';

/** Number of minutes with reads, within an hour, from which a calendar counts as read often. */
const OFTEN = 10;
const WINDOW_MS = 3_600_000;
const MAX_COUNTS = 10_000;

/** Detects collections that are read often through this process. */
export interface ReadCounter {
  /** Counts a minute with reads. Returns true when there were enough within an hour, and restarts the count. */
  note(name: string): boolean;
}

export function createReadCounter(clock: Clock): ReadCounter {
  const counts = new Map<string, { readonly minutes: number; readonly since: number }>();

  /** Evicts the oldest counts: a collection that is read often returns soon. */
  function evictOldest(): void {
    for (const name of counts.keys()) {
      if (counts.size <= MAX_COUNTS) return;
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
      evictOldest();
      return false;
    },
  };
}
