import type { Clock } from '../../ports/index.ts';
import { isRecent } from '../time/is-recent.ts';

/** Longest use of an unwrapped data key. Without it, a process would go on for ever after its access to the keyring ended. */
const LIFETIME_MS = 300_000;

/** Unwrapped data keys by wrapped key and owner. */
export interface DataKeyCache {
  /**
   * Returns the data key, unwrapped at most five minutes ago. Concurrent callers share one `unwrap`. A failure is passed to
   * them and not kept.
   */
  get(wrappedKey: string, owner: string, unwrap: () => Promise<Uint8Array>): Promise<Uint8Array>;
  /** Keeps a data key that has just been wrapped. */
  put(wrappedKey: string, owner: string, dataKey: Uint8Array): void;
}

interface Kept {
  readonly dataKey: Uint8Array;
  readonly unwrappedAt: number;
}

/** Creates a cache of at most `limit` data keys; the oldest leave first. With 0 it keeps none. */
export function createDataKeyCache(clock: Clock, limit: number): DataKeyCache {
  // About in the order in which they end.
  const kept = new Map<string, Kept>();
  const flights = new Map<string, Promise<Uint8Array>>();

  const isLive = ({ unwrappedAt }: Kept) => isRecent(clock, unwrappedAt, LIFETIME_MS);

  const removeEnded = (): void => {
    for (const [key, entry] of kept) {
      if (kept.size <= limit && isLive(entry)) return;
      kept.delete(key);
    }
  };

  const keep = (key: string, dataKey: Uint8Array, unwrappedAt: number): void => {
    kept.delete(key);
    kept.set(key, { dataKey, unwrappedAt });
    removeEnded();
  };

  return {
    async get(wrappedKey, owner, unwrap) {
      const key = keyOf(wrappedKey, owner);
      removeEnded();
      const entry = kept.get(key);
      if (entry !== undefined && isLive(entry)) return entry.dataKey;
      const running = flights.get(key);
      if (running !== undefined) return await running;
      // The life counts from the question: the answer may have been on its way for long.
      const askedAt = clock.now();
      const flight = unwrap().then((dataKey) => {
        keep(key, dataKey, askedAt);
        return dataKey;
      });
      flights.set(key, flight);
      try {
        return await flight;
      } finally {
        flights.delete(key);
      }
    },
    put: (wrappedKey, owner, dataKey) => keep(keyOf(wrappedKey, owner), dataKey, clock.now()),
  };
}

const keyOf = (wrappedKey: string, owner: string) => JSON.stringify([wrappedKey, owner]);
