import type { Clock, Random } from 'kalends/ports';
import { withJoinedSignals } from 'kalends/runtime';

/** Waits between attempts, up to a time limit. */
export interface Backoff {
  /** Waits, longer each time. @throws when the time limit is reached, or a signal aborts */
  wait(error: unknown): Promise<void>;
}

export interface BackoffOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Time limit of all waits. */
  readonly limitMs: number;
  /** Start of the time limit. @default the first wait */
  readonly since?: () => number | undefined;
  /** The first signal that aborts ends a wait. */
  readonly signals: readonly (AbortSignal | undefined)[];
  /** Makes the error that is thrown in the end. @default the last error itself */
  readonly ending?: (error: unknown) => unknown;
}

const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 500;

export function createBackoff(options: BackoffOptions): Backoff {
  const { clock, random, limitMs, since, signals, ending = (error) => error } = options;
  let deadline: number | undefined;
  let longest = FIRST_WAIT_MS;
  return {
    async wait(error) {
      deadline ??= (since?.() ?? clock.now()) + limitMs;
      const leftMs = deadline - clock.now();
      if (leftMs <= 0) throw ending(error);
      const waitMs = Math.min(longest * (0.5 + random.fraction() / 2), leftMs);
      await withJoinedSignals(signals, (signal) => clock.sleep(waitMs, signal)).catch(() => {
        throw ending(error);
      });
      longest = Math.min(longest * 2, LONGEST_WAIT_MS);
    },
  };
}
