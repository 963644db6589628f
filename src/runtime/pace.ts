import { systemClock } from './system-clock.ts';
import { throttle } from './throttle.ts';
import { createWaitingLine } from './waiting-line.ts';

/** Turns at a bounded rate, by the real clock. */
export interface Pace {
  /** How long one who asks now would wait for a turn, behind those who wait already. */
  waitMs(): number;
  /** Resolves when it is the caller's turn, in order of arrival. Rejects with the signal's reason when it gives up first. */
  turn(signal: AbortSignal | undefined): Promise<void>;
  /** Whether nobody waits and no turn was taken within the interval, so that a new pace would be the same. */
  isIdle(): boolean;
}

/** At most `limit` turns in any `intervalMs`; with `Infinity` no bound, no timer and no memory. */
export function createPace({ limit, intervalMs }: { readonly limit: number; readonly intervalMs: number }): Pace {
  if (limit === Number.POSITIVE_INFINITY) {
    return { waitMs: () => 0, turn: async (signal) => signal?.throwIfAborted(), isIdle: () => true };
  }
  /** Times of the latest turns, oldest first: p-throttle does not tell how long it is going to wait. */
  const turns: number[] = [];
  const line = createWaitingLine();
  let isDrawing = false;

  const draw = throttle(
    async () => {
      turns.push(systemClock.now());
      if (turns.length > limit) turns.shift();
    },
    { limit, intervalMs },
  );

  // One draw at a time: p-throttle cannot take a reservation back, so that whoever gives up must not leave one behind
  // for each call. Its turn goes to the next in the line.
  async function serve(): Promise<void> {
    if (isDrawing) return;
    isDrawing = true;
    while (line.length > 0) {
      await draw();
      line.admitNext();
    }
    isDrawing = false;
  }

  return {
    waitMs() {
      const now = systemClock.now();
      const position = turns.length + line.length;
      if (position < limit) return 0;
      // Every turn comes an interval after the one `limit` turns before it, which may lie ahead itself.
      const intervals = Math.floor(position / limit);
      return Math.max(0, (turns[position % limit] ?? now) + intervals * intervalMs - now);
    },
    turn(signal) {
      const admitted = line.wait(signal);
      void serve();
      return admitted;
    },
    isIdle: () => !isDrawing && (turns.at(-1) ?? Number.NEGATIVE_INFINITY) + intervalMs < systemClock.now(),
  };
}
