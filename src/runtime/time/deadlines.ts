import type { Clock } from '../../ports/index.ts';

/** Many concurrent deadlines, few of which are ever reached. */
export interface Deadlines {
  /** Calls `strike` once after `ms` on the clock, unless the returned function cancels it. `strike` must not throw. */
  set(ms: number, strike: () => void): () => void;
  /** Cancels all deadlines. */
  close(): void;
}

interface Deadline {
  readonly setAt: number;
  readonly strike: () => void;
}

/**
 * Creates deadlines. Those of the same length end in the order in which they were set, so that they share one sleep: setting
 * and cancelling one costs no timer, signal or promise. If every deadline is cancelled, the timer fires and does nothing.
 */
export function createDeadlines(clock: Clock): Deadlines {
  const lines = new Map<number, Set<Deadline>>();
  const closing = new AbortController();

  /** A clock behind the start of a deadline was set back: the time passed is unknown, and the deadline ends. */
  const restMs = (ms: number, { setAt }: Deadline): number => {
    const passed = clock.now() - setAt;
    return passed < 0 ? 0 : ms - passed;
  };

  const watch = async (ms: number, line: Set<Deadline>): Promise<void> => {
    for (const deadline of line) {
      while (line.has(deadline) && restMs(ms, deadline) > 0) await clock.sleep(restMs(ms, deadline), closing.signal);
      if (line.delete(deadline)) deadline.strike();
    }
    lines.delete(ms);
  };

  return {
    set(ms, strike) {
      const deadline = { setAt: clock.now(), strike };
      const line = lines.get(ms);
      if (line !== undefined) {
        line.add(deadline);
        return () => void line.delete(deadline);
      }
      const begun = new Set([deadline]);
      lines.set(ms, begun);
      // Rejects only on close.
      watch(ms, begun).catch(() => undefined);
      return () => void begun.delete(deadline);
    },
    close: () => closing.abort(new Error('The deadlines have been closed.')),
  };
}
