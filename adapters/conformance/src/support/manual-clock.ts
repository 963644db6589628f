import type { Clock } from 'kalends/ports';

interface Sleeper {
  readonly wakeAt: number;
  readonly resolve: () => void;
}

/** A clock that a test advances by hand. */
export interface ManualClock extends Clock {
  /**
   * Advances time step by step and wakes sleepers in order. Resolves once the immediate continuations of each wake-up have
   * run; network calls that they start may still be in flight.
   */
  advance(ms: number): Promise<void>;
  /** Number of sleepers, for tests that wait until one sleeps. */
  readonly sleeping: number;
}

/** Creates a manual clock. @param startAt epoch milliseconds. @default 2026-03-02T09:00:00Z */
export function manualClock(startAt = Date.UTC(2026, 2, 2, 9)): ManualClock {
  let now = startAt;
  const sleepers = new Set<Sleeper>();
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (ms <= 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const abort = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          wakeAt: now + ms,
          resolve: () => {
            signal?.removeEventListener('abort', abort);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', abort, { once: true });
      });
    },
    async advance(ms) {
      const target = now + ms;
      await settle();
      for (;;) {
        const next = [...sleepers].filter(({ wakeAt }) => wakeAt <= target).sort((a, b) => a.wakeAt - b.wakeAt)[0];
        if (next === undefined) break;
        now = Math.max(now, next.wakeAt);
        sleepers.delete(next);
        next.resolve();
        await settle();
      }
      now = target;
      await settle();
    },
    get sleeping() {
      return sleepers.size;
    },
  };
}
