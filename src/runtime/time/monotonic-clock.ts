import type { Clock } from '../../ports/index.ts';
import { systemClock } from './system-clock.ts';

/** Measures durations: its time is that since the start of the process, and is never set back. */
export const monotonicClock: Clock = { ...systemClock, now: () => performance.now() };
