import type { Clock } from 'kalends/ports';
import type { RateLimit } from './rate-limit-answer.ts';

/** Most addresses in memory; the one whose last failure is the oldest is evicted. */
const MOST_ADDRESSES = 20_000;

/** Counts failures by address, in this process and in bounded memory. */
export interface FailureLimit {
  count(address: string): void;
  /** Returns how long an address that has failed too often must wait; 0 for any other. */
  waitMs(address: string): number;
}

export function createFailureLimit({ perSecond, burst }: RateLimit, clock: Clock): FailureLimit {
  /** By address, in the order of the last failure. */
  const buckets = new Map<string, { level: number; at: number }>();
  const levelOf = (address: string, now: number) => {
    const bucket = buckets.get(address);
    if (bucket === undefined) return burst;
    // A clock that was set back takes nothing away, and fills from there.
    bucket.level = Math.min(burst, bucket.level + (Math.max(0, now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    return bucket.level;
  };
  return {
    count(address) {
      const now = clock.now();
      const level = Math.max(0, levelOf(address, now) - 1);
      buckets.delete(address);
      buckets.set(address, { level, at: now });
      if (buckets.size <= MOST_ADDRESSES) return;
      for (const oldest of buckets.keys()) {
        buckets.delete(oldest);
        return;
      }
    },
    waitMs(address) {
      const level = levelOf(address, clock.now());
      return level >= 1 ? 0 : ((1 - level) / perSecond) * 1000;
    },
  };
}
