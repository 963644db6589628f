import type { Clock } from 'kalends/ports';
import { systemClock } from 'kalends/runtime';

/** The system's clock, put forward by what has been passed to `pass`: ages what is stored, and wakes no sleeper. */
export interface MovableClock extends Clock {
  pass(ms: number): void;
}

export function movableClock(): MovableClock {
  let offset = 0;
  return {
    now: () => systemClock.now() + offset,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    pass(ms) {
      offset += ms;
    },
  };
}
