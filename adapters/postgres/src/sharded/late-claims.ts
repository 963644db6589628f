import { monotonicClock } from 'kalends/runtime';

/** Claims of shards that answered when the call that asked for them had ended: the next one gets them. */
export interface LateClaims<Claim> {
  /** Keeps claims whose leases last for `leaseMs` from `askedAt`. */
  keep(claims: readonly Claim[], askedAt: number, leaseMs: number): void;
  /** Takes up to `limit` claims whose leases last for half of their time yet. The others lapse, and are claimed anew. */
  take(limit: number): readonly Claim[];
  hasAny(): boolean;
  /** Real time, as leases pass in it. */
  now(): number;
}

export function createLateClaims<Claim>(): LateClaims<Claim> {
  const { now } = monotonicClock;
  let kept: { readonly claim: Claim; readonly until: number }[] = [];
  const forget = () => {
    kept = kept.filter(({ until }) => until > now());
  };
  return {
    keep(claims, askedAt, leaseMs) {
      kept.push(...claims.map((claim) => ({ claim, until: askedAt + leaseMs / 2 })));
    },
    take(limit) {
      forget();
      return kept.splice(0, limit).map(({ claim }) => claim);
    },
    hasAny() {
      forget();
      return kept.length > 0;
    },
    now,
  };
}
