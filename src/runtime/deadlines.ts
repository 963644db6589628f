import type { Clock } from '../ports/index.ts';

/** Many deadlines, of which hardly any is ever reached. */
export interface Deadlines {
  /** Calls `strike`, which must not throw, once after `ms` on the clock, unless the function that is returned is called before. */
  set(ms: number, strike: () => void): () => void;
  /** No deadline is reached any more. */
  close(): void;
}

interface Deadline {
  readonly setAt: number;
  readonly strike: () => void;
}

/**
 * Deadlines of the same length end in the order in which they were set, so one sleep serves a whole line of them: setting and
 * lifting one costs no timer, no signal and no promise. A line whose deadlines have all been lifted sleeps its last sleep in vain.
 */
export function createDeadlines(clock: Clock): Deadlines {
  const lines = new Map<number, Set<Deadline>>();
  const closing = new AbortController();

  /** A clock that is behind the start of a deadline was set back: how long it has been is unknown then, and it ends. */
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
      // Rejects when closing, and then only.
      watch(ms, begun).catch(() => undefined);
      return () => void begun.delete(deadline);
    },
    close: () => closing.abort(new Error('Nobody waits for these deadlines any more.')),
  };
}
