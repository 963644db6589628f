import type { HostClock } from '@kalends/sandbox';
import type { Logger } from 'kalends/ports';
import { describeError } from 'kalends/runtime';
import type { DemoClock } from './demo-clock.ts';

/** Returns the demo's clock for the sandbox, whose own control of the clock turns it too. */
export function hostClock(clock: DemoClock, logger: Logger): HostClock {
  return {
    now: clock.now,
    advance(ms) {
      clock.advance(ms).catch((error: unknown) => {
        logger.error('the turn of the clock has failed', { error: describeError(error) });
      });
    },
  };
}
