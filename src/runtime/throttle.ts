import pThrottle from 'p-throttle';

/**
 * The same function, begun at most `limit` times in any `intervalMs`; calls beyond that wait their turn, in order.
 * Paces by the real clock, so it belongs into live transports only.
 */
export function throttle<Arguments extends readonly unknown[], Result>(
  work: (...args: Arguments) => Promise<Result>,
  options: { readonly limit: number; readonly intervalMs: number },
): (...args: Arguments) => Promise<Result> {
  // Without weights p-throttle spaces calls evenly once `limit` of them were made without a pause, room or no room.
  return pThrottle({ limit: options.limit, interval: options.intervalMs, strict: true, weight: () => 1 })(work);
}
