import type { Clock } from '../../ports/index.ts';

/** Ends the sleep of a loop when work becomes due. */
export interface WakeUp {
  /** Ends the running wait, or else the next one at once. Any number of calls count as one. */
  notify(): void;
  /** Resolves when notified or after `ms`. Rejects with the signal's reason when it is aborted first. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Shared: an abort without a reason creates an error with its stack each time. */
const NOTIFIED = new Error('There is something to do.');

/** Creates a wake-up for one waiting loop. */
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
