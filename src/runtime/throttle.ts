import pThrottle from 'p-throttle';

/**
 * The same function, called at most `limit` times per `intervalMs`; calls beyond that wait their turn, in order.
 * Paces by the real clock, so it belongs into live transports only.
 */
export function throttle<Arguments extends readonly unknown[], Result>(
  work: (...args: Arguments) => Promise<Result>,
  options: { readonly limit: number; readonly intervalMs: number },
): (...args: Arguments) => Promise<Result> {
  return pThrottle({ limit: options.limit, interval: options.intervalMs, strict: true })(work);
}
