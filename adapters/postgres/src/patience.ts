import type { Clock, Random } from 'kalends/ports';
import { withJoinedSignals } from 'kalends/runtime';

/** Waits of a caller whom something is in the way of, until it has waited for long enough. */
export interface Patience {
  /** Waits a little, longer each time. @throws when there is no patience left, or the signal aborts */
  wait(error: unknown): Promise<void>;
}

export interface PatienceOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How long to go on. */
  readonly limitMs: number;
  /** When the time began. @default the first wait */
  readonly since?: () => number | undefined;
  /** The first of them to be aborted ends a wait. */
  readonly signals: readonly (AbortSignal | undefined)[];
  /** What is thrown in the end. @default the last error itself */
  readonly ending?: (error: unknown) => unknown;
}

const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 500;

export function createPatience(options: PatienceOptions): Patience {
  const { clock, random, limitMs, since, signals, ending = (error) => error } = options;
  let deadline: number | undefined;
  let longest = FIRST_WAIT_MS;
  return {
    async wait(error) {
      deadline ??= (since?.() ?? clock.now()) + limitMs;
      const restMs = deadline - clock.now();
      if (restMs <= 0) throw ending(error);
      const waitMs = Math.min(longest * (0.5 + random.fraction() / 2), restMs);
      await withJoinedSignals(signals, (signal) => clock.sleep(waitMs, signal)).catch(() => {
        throw ending(error);
      });
      longest = Math.min(longest * 2, LONGEST_WAIT_MS);
    },
  };
}
