import type { Clock } from 'kalends/ports';
import { nextTurn } from 'kalends/runtime';

/** Turns of the event loop without a trace of work, after which there is none. */
const QUIET_TURNS = 3;
/** Longest real time that the clock waits for work: a slow answer must not stop it. */
const LONGEST_WAIT_MS = 500;

/**
 * Creates a wait for work that a wake-up of the demo's clock has started: it ends when no request is on its way and the clock has
 * not been used for some turns of the event loop, or after half a second of real time.
 * @param isBusy tells whether a request is on its way
 * @param base real time
 */
export function createSettling(isBusy: () => boolean, base: Clock): (uses: () => number) => Promise<void> {
  return async (uses) => {
    const startedAt = base.now();
    let seen = uses();
    for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
      await nextTurn();
      if (seen === uses() && !isBusy()) continue;
      if (base.now() - startedAt > LONGEST_WAIT_MS) return;
      seen = uses();
      quiet = -1;
    }
  };
}
