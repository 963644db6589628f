import type { Clock } from 'kalends/ports';

/** The providers' default time limit of a request. */
const SHORTEST_TIME_LIMIT_MS = 30_000;

/**
 * Creates a clock whose waits end at once and whose time limits never run out: sleeps of `timeLimitMs` or more end by their
 * signal alone. For providers in front of a local server, whose time `now` usually is.
 * @param onWait called with each wait that is skipped
 * @param timeLimitMs shortest time limit of a request. @default 30_000
 */
export function waitlessClock(
  now: () => number,
  onWait: (ms: number) => void = () => undefined,
  timeLimitMs = SHORTEST_TIME_LIMIT_MS,
): Clock {
  return {
    now,
    sleep(ms, signal) {
      if (ms < timeLimitMs) {
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
