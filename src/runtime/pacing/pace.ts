import type { Clock } from '../../ports/index.ts';
import { createWaitingLine } from './waiting-line.ts';

/** Turns at a bounded rate. */
export interface Pace {
  /** Returns how long a caller that asks now would wait for its turn, behind those already waiting. */
  waitMs(): number;
  /** Resolves at the caller's turn, in order of arrival. Rejects with the signal's reason if the caller gives up first. */
  turn(signal: AbortSignal | undefined): Promise<void>;
  /** Returns true when no caller waits and no turn was taken within the interval: a new pace would behave the same. */
  isIdle(): boolean;
}

export interface PaceOptions {
  readonly clock: Clock;
  /** Turns in any `intervalMs`. `Infinity`: no bound, no timer and no memory. */
  readonly limit: number;
  readonly intervalMs: number;
}

const LINE_EMPTY = new Error('Every caller has given up its turn.');

/** Creates a pace of at most `limit` turns in any `intervalMs` of the clock. */
export function createPace({ clock, limit, intervalMs }: PaceOptions): Pace {
  if (limit === Number.POSITIVE_INFINITY) {
    return { waitMs: () => 0, turn: async (signal) => signal?.throwIfAborted(), isIdle: () => true };
  }
  /** Times of the latest `limit` turns, as a ring: the oldest is at `taken % limit`. */
  const turns: number[] = [];
  const line = createWaitingLine();
  let taken = 0;
  let isServing = false;
  let waiting = new AbortController();

  /** Sets the turns back with the clock: turns in the future would hold up others until it has caught up. */
  function followClock(): void {
    const aheadMs = (turns[(taken - 1) % limit] ?? Number.NEGATIVE_INFINITY) - clock.now();
    if (aheadMs <= 0) return;
    for (const [index, at] of turns.entries()) turns[index] = at - aheadMs;
  }

  /** Time until the turn of the caller at this position of the line. */
  function dueInMs(position: number): number {
    followClock();
    const before = turns[(taken + position) % limit] ?? Number.NEGATIVE_INFINITY;
    const firstMs = Math.max(0, before + intervalMs - clock.now());
    return firstMs + Math.floor(position / limit) * intervalMs;
  }

  function take(): void {
    turns[taken % limit] = clock.now();
    taken += 1;
  }

  async function serve(): Promise<void> {
    if (isServing) return;
    isServing = true;
    while (line.length > 0) {
      waiting = new AbortController();
      const waitMs = dueInMs(0);
      // Sleeps once per turn: with a clock whose sleep returns early, waiting for the time itself would never end.
      if (waitMs > 0) await clock.sleep(waitMs, waiting.signal).catch(() => undefined);
      if (!waiting.signal.aborted && line.admitNext()) take();
    }
    isServing = false;
  }

  return {
    waitMs: () => dueInMs(line.length),
    async turn(signal) {
      const admitted = line.wait(signal);
      void serve();
      try {
        await admitted;
      } catch (reason) {
        // No sleep outlives its callers: its timer would keep the process alive.
        if (line.length === 0) waiting.abort(LINE_EMPTY);
        throw reason;
      }
    },
    isIdle: () => !isServing && dueInMs(limit - 1) === 0,
  };
}
