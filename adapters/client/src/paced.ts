import pThrottle from 'p-throttle';
import type { Fetch } from './call.ts';

/**
 * Returns the same `fetch`, begun at most `requestsPerSecond` times in any second of real time, in order of the calls.
 * @throws RangeError for a number that lets no request pass
 */
export function paced(fetch: Fetch, requestsPerSecond: number): Fetch {
  if (!Number.isInteger(requestsPerSecond) || requestsPerSecond < 1) {
    throw new RangeError('requestsPerSecond: must be a whole number from 1 on');
  }
  return pThrottle({ limit: requestsPerSecond, interval: 1_000, strict: true })(fetch);
}
