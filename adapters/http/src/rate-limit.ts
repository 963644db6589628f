import { KalendsError } from 'kalends';
import type { Clock } from 'kalends/ports';

export interface RateLimitOptions {
  /** Requests per second in the long run. */
  readonly perSecond: number;
  /** Most requests at once. */
  readonly burst: number;
}

export interface RateLimiter {
  /** Takes one request from the key's bucket; returns its RateLimit headers, and the error when it was empty. */
  take(key: string): { readonly headers: Readonly<Record<string, string>>; readonly refused?: KalendsError };
}

/** Above this number of buckets, full ones are evicted. */
const KEPT = 10_000;

/** Creates token buckets by key, in this process; a full bucket needs no memory. */
export function createRateLimiter({ perSecond, burst }: RateLimitOptions, clock: Clock): RateLimiter {
  /** By key, in the order of the last use. */
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

/** Returns RateLimit and RateLimit-Policy as structured fields. */
function rateLimitHeaders(perSecond: number, burst: number, level: number): Readonly<Record<string, string>> {
  const windowSeconds = Math.max(1, Math.round(burst / perSecond));
  return {
    'ratelimit-policy': `"api-key";q=${burst};w=${windowSeconds}`,
    ratelimit: `"api-key";r=${Math.floor(level)};t=${Math.ceil((burst - level) / perSecond)}`,
  };
}
