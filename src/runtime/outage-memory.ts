import { type Clock, OUTAGE_GRACE_MS } from '../ports/index.ts';

/** Shorter failures keep no lease from being renewed in time. */
const SHORTEST_OUTAGE_MS = 1_000;

/** Remembers the last outage of a storage, so that it can tell leases that ran out from leases that could not be renewed. */
export interface OutageMemory {
  /** Notes that the storage has done what it was asked to. */
  reached(): void;
  /** Notes a failure to reach it, tried from `startedAt` on. */
  missed(startedAt: number): void;
  /** The time by which leases must have ended to have run out: `now`, or shortly after an outage its beginning. */
  runOutBy(now: number): number;
}

/** @param clock real time, in which outages pass; `now` may be another clock's */
export function createOutageMemory(clock: Clock): OutageMemory {
  let lastReachedAt = clock.now();
  let missedSince: number | undefined;
  let outage: { readonly since: number; readonly until: number } | undefined;

  const isOver = (at: number) => outage === undefined || at - outage.until >= OUTAGE_GRACE_MS;

  return {
    reached() {
      const at = clock.now();
      if (missedSince !== undefined && at - missedSince >= SHORTEST_OUTAGE_MS) {
        // One outage after another: what ended during the first has not had its grace yet.
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
