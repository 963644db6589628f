import pThrottle from 'p-throttle';
import type { Fetch } from './call.ts';

/**
 * Returns a `fetch` for `createClient` that begins at most `requestsPerSecond` requests in any second of real time, in order of
 * the calls; further ones wait their turn. Set it below the service's limit for the key (300 a second by default).
 * @param requestsPerSecond a whole number from 1 on
 * @throws RangeError for a number that lets no request pass
 *
 * @example
 * ```ts
 * const client = createClient({ baseUrl, apiKey, fetch: paced(200) });
 * ```
 */
export function paced(requestsPerSecond: number, fetch: Fetch = globalThis.fetch): Fetch {
  if (!Number.isInteger(requestsPerSecond) || requestsPerSecond < 1) {
    throw new RangeError('requestsPerSecond: must be a whole number from 1 on');
  }
  return pThrottle({ limit: requestsPerSecond, interval: 1_000, strict: true })(fetch);
}
