import type { Clock } from '../ports/index.ts';

interface Sleeper {
  readonly wakeAt: number;
  readonly resolve: () => void;
}

/** A clock that stands still until it is advanced. */
export interface ManualClock extends Clock {
  /**
   * Moves time forward step by step, waking sleepers in order of their time. Resolves when each wake-up's immediate
   * continuations have run; what they start over the network may still be going on.
   */
  advance(ms: number): Promise<void>;
  /** Number of sleepers, for tests that wait until somebody sleeps. */
  readonly sleeping: number;
}

/** @param startAt epoch milliseconds. @default 2026-03-02T09:00:00Z */
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
