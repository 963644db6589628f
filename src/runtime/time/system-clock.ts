import type { Clock } from '../../ports/index.ts';

/** Longest delay of a timer: one above it fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The process's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      let timer: ReturnType<typeof setTimeout>;
      const wait = (restMs: number) => {
        const stepMs = Math.min(restMs, LONGEST_TIMER_MS);
        timer = setTimeout(() => {
          if (restMs > stepMs) return wait(restMs - stepMs);
          signal?.removeEventListener('abort', abort);
          resolve();
        }, stepMs);
      };
      wait(ms);
      signal?.addEventListener('abort', abort, { once: true });
    }),
};
