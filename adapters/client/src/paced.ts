import pThrottle from 'p-throttle';
import type { Fetch, PacedFetch } from './call.ts';

/**
 * Returns a `fetch` for `createClient` that begins at most `requestsPerSecond` requests in any second of real time, in order of
 * the calls. Further ones wait their turn; their `timeoutMs` counts from there. Set it below the service's limit for the key
 * (300 a second by default).
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
  const waiting = new Set<() => void>();
  // There are as many turns as requests asked for one: that of a request which has left goes to the next.
  const nextTurn = pThrottle({ limit: requestsPerSecond, interval: 1_000, strict: true })(() => {
    const [first] = waiting;
    first?.();
  });
  const waitForTurn = (signal: AbortSignal | null | undefined) =>
    new Promise<Fetch>((resolve, reject) => {
      const begin = () => {
        end();
        resolve(fetch);
      };
      const leave = () => {
        end();
        reject(signal?.reason);
      };
      const end = () => {
        waiting.delete(begin);
        signal?.removeEventListener('abort', leave);
      };
      if (signal?.aborted === true) return leave();
      signal?.addEventListener('abort', leave, { once: true });
      waiting.add(begin);
      void nextTurn();
    });
  const inTurn: Fetch = async (url, init) => await (await waitForTurn(init.signal))(url, init);
  return Object.assign(inTurn, { waitForTurn }) satisfies PacedFetch;
}
