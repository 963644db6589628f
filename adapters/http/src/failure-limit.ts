import type { Clock } from 'kalends/ports';
import type { RateLimitOptions } from './rate-limit.ts';

/** Addresses that are remembered: beyond, the one that has failed least lately is forgotten. */
const MOST_ADDRESSES = 20_000;

/** Failures by address, in this process and in bounded memory. */
export interface FailureLimit {
  count(address: string): void;
  /** How long an address has to wait that has failed too often; 0 for others. */
  waitMs(address: string): number;
}

export function createFailureLimit({ perSecond, burst }: RateLimitOptions, clock: Clock): FailureLimit {
  /** In the order of their last failure. */
  const buckets = new Map<string, { readonly level: number; readonly at: number }>();
  const levelOf = (address: string, now: number) => {
    const bucket = buckets.get(address);
    return bucket === undefined ? burst : Math.min(burst, bucket.level + ((now - bucket.at) / 1000) * perSecond);
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
