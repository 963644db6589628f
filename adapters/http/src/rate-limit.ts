import type { Clock, LeaseStore } from 'kalends/ports';
import { type RateLimit, type RateLimitAnswer, rateLimitAnswer } from './rate-limit-answer.ts';

export interface RateLimitOptions extends RateLimit {
  /**
   * Leases of the storage that several processes share: with them the limit holds for all of the processes together.
   * @default each process limits by itself
   */
  readonly sharedBy?: Pick<LeaseStore, 'takeCalls'>;
}

export interface RateLimiter {
  /** Takes one request from the key's bucket; returns its RateLimit headers, and the error when it was empty. */
  take(key: string): RateLimitAnswer | Promise<RateLimitAnswer>;
}

/** Above this number of buckets, full ones are evicted. */
const KEPT = 10_000;

/** Creates token buckets by key, in this process; a full bucket needs no memory. */
export function createRateLimiter({ perSecond, burst }: RateLimit, clock: Clock): RateLimiter {
  /** By key, in the order of the last use. */
  const buckets = new Map<string, { level: number; at: number }>();
  const fillMs = (burst / perSecond) * 1000;
  const answer = rateLimitAnswer({ perSecond, burst });

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
      // A clock that was set back takes nothing away.
      bucket.level = Math.min(burst, bucket.level + (Math.max(0, now - bucket.at) / 1000) * perSecond);
      bucket.at = now;
      buckets.delete(key);
      buckets.set(key, bucket);
      if (bucket.level < 1) return answer.refused(((1 - bucket.level) / perSecond) * 1000);
      bucket.level -= 1;
      return answer.admitted(bucket.level);
    },
  };
}
