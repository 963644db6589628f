import { KalendsError } from 'kalends';
import type { Clock } from 'kalends/ports';

export interface RateLimitOptions {
  /** Requests per second in the long run. */
  readonly perSecond: number;
  /** Requests that may come at once. */
  readonly burst: number;
}

export interface RateLimiter {
  /** Takes one request of the key's bucket: the headers that say what is left, and the error when nothing was. */
  take(key: string): { readonly headers: Readonly<Record<string, string>>; readonly refused?: KalendsError };
}

/** So many buckets are kept without a look at which of them are full again. */
const KEPT = 10_000;

/** Token buckets by key, in this process; a full bucket is forgotten. */
export function createRateLimiter({ perSecond, burst }: RateLimitOptions, clock: Clock): RateLimiter {
  /** In the order of their last use. */
  const buckets = new Map<string, { level: number; at: number }>();
  const fillMs = (burst / perSecond) * 1000;

  function forgetFull(now: number): void {
    for (const [name, { at }] of buckets) {
      if (now - at <= fillMs) return;
      buckets.delete(name);
    }
  }

  return {
    take(key) {
      const now = clock.now();
      if (buckets.size > KEPT) forgetFull(now);
      const bucket = buckets.get(key) ?? { level: burst, at: now };
      bucket.level = Math.min(burst, bucket.level + ((now - bucket.at) / 1000) * perSecond);
      bucket.at = now;
      buckets.delete(key);
      buckets.set(key, bucket);
      if (bucket.level < 1) {
        const retryAfterMs = ((1 - bucket.level) / perSecond) * 1000;
        const message = `more than ${perSecond} requests per second with one API key`;
        const refused = new KalendsError('RateLimited', message, { retryAfterMs });
        return { headers: rateLimitHeaders(perSecond, burst, 0), refused };
      }
      bucket.level -= 1;
      return { headers: rateLimitHeaders(perSecond, burst, bucket.level) };
    },
  };
}

/** RateLimit and RateLimit-Policy as structured fields. */
function rateLimitHeaders(perSecond: number, burst: number, level: number): Readonly<Record<string, string>> {
  const windowSeconds = Math.max(1, Math.round(burst / perSecond));
  return {
    'ratelimit-policy': `"api-key";q=${burst};w=${windowSeconds}`,
    ratelimit: `"api-key";r=${Math.floor(level)};t=${Math.ceil((burst - level) / perSecond)}`,
  };
}
