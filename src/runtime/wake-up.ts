import type { Clock } from '../ports/index.ts';

/** Lets work that has just become due interrupt the sleep of the loop that does it. */
export interface WakeUp {
  /** Ends the running wait, or the next one at once when none is running. Any number of calls count as one. */
  notify(): void;
  /** Resolves when notified or after `ms`. Rejects with the signal's reason when it is aborted first. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Made once: without a reason each abort would make an error of its own, with its stack. */
const NOTIFIED = new Error('There is something to do.');

/** A wake-up for one waiting loop. */
export function createWakeUp(clock: Clock): WakeUp {
  let notified = false;
  let waiting: AbortController | undefined;

  const sleep = async (ms: number, signal: AbortSignal) => {
    const interruption = new AbortController();
    const stop = () => interruption.abort(signal.reason);
    waiting = interruption;
    signal.addEventListener('abort', stop, { once: true });
    try {
      await clock.sleep(ms, interruption.signal);
    } catch (error) {
      if (signal.aborted || !interruption.signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      waiting = undefined;
    }
  };

  return {
    notify() {
      notified = true;
      waiting?.abort(NOTIFIED);
    },
    async wait(ms, signal) {
      signal.throwIfAborted();
      if (!notified) await sleep(ms, signal);
      notified = false;
    },
  };
}
