import type { Clock } from '../ports/index.ts';

/** Lets work that has just become due interrupt the sleep of the loop that does it. */
export interface WakeUp {
  /** Ends the running wait, or the next one at once when none is running. Any number of calls count as one. */
  notify(): void;
  /** Resolves when notified or after `ms`. Rejects with the signal's reason when it is aborted first. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** A wake-up for one waiting loop. */
export function createWakeUp(clock: Clock): WakeUp {
  let notified = false;
  let waiting: AbortController | undefined;
  return {
    notify() {
      notified = true;
      waiting?.abort();
    },
    async wait(ms, signal) {
      signal.throwIfAborted();
      if (!notified) {
        waiting = new AbortController();
        try {
          await clock.sleep(ms, AbortSignal.any([signal, waiting.signal]));
        } catch (error) {
          if (signal.aborted || !waiting.signal.aborted) throw error;
        } finally {
          waiting = undefined;
        }
      }
      notified = false;
    },
  };
}
