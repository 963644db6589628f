import type { Clock } from 'kalends/ports';

/** The providers' default time limit of a request. */
const SHORTEST_TIME_LIMIT_MS = 30_000;

/**
 * Creates a clock whose waits end at once and whose time limits never run out: sleeps of 30 s or more end by their signal
 * alone. For providers in front of a local server, whose time `now` usually is.
 * @param onWait called with each wait that is skipped
 */
export function waitlessClock(now: () => number, onWait: (ms: number) => void = () => undefined): Clock {
  return {
    now,
    sleep(ms, signal) {
      if (ms < SHORTEST_TIME_LIMIT_MS) {
        onWait(ms);
        return Promise.resolve();
      }
      return new Promise((_, reject) => {
        if (signal?.aborted) reject(signal.reason);
        else signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
  };
}
