import { type Clock, OUTAGE_GRACE_MS } from '../../ports/index.ts';

/** Shorter failures leave time to renew every lease. */
const SHORTEST_OUTAGE_MS = 1_000;

/** Remembers the last outage of a storage, to tell expired leases from those that could not be renewed. */
export interface OutageMemory {
  /** Records a successful call of the storage. */
  reached(): void;
  /** Records a failure to reach the storage, tried from `startedAt` on. */
  missed(startedAt: number): void;
  /** Returns the time before which an ended lease counts as expired: `now`, or during and shortly after an outage its start. */
  runOutBy(now: number): number;
}

/** Creates the memory of one storage. @param clock real time, in which outages pass; `now` may be another clock's */
export function createOutageMemory(clock: Clock): OutageMemory {
  let lastReachedAt = clock.now();
  let missedSince: number | undefined;
  let outage: { readonly since: number; readonly until: number } | undefined;

  const isOver = (at: number) => outage === undefined || at - outage.until >= OUTAGE_GRACE_MS;

  return {
    reached() {
      const at = clock.now();
      if (missedSince !== undefined && at - missedSince >= SHORTEST_OUTAGE_MS) {
        // Two outages in a row: leases that ended during the first have not had their grace period yet.
        outage = { since: isOver(missedSince) ? lastReachedAt : (outage?.since ?? lastReachedAt), until: at };
      }
      missedSince = undefined;
      lastReachedAt = at;
    },
    missed(startedAt) {
      missedSince ??= Math.max(startedAt, lastReachedAt);
    },
    runOutBy(now) {
      const at = clock.now();
      if (missedSince !== undefined && at - missedSince >= SHORTEST_OUTAGE_MS) return now - (at - lastReachedAt);
      return outage === undefined || isOver(at) ? now : now - (at - outage.since);
    },
  };
}
