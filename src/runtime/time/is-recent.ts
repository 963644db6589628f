import type { Clock } from '../../ports/index.ts';

/**
 * Whether less than `ms` has passed since an instant of this clock. A clock that is behind it was set back: the time passed is
 * unknown, and the instant is not recent.
 */
export function isRecent(clock: Pick<Clock, 'now'>, at: number, ms: number): boolean {
  const passed = clock.now() - at;
  return passed >= 0 && passed < ms;
}
