import { type Clock, type LeaseStore, StorageUnavailableError } from 'kalends/ports';
import { createKeyedMutex } from 'kalends/runtime';
import { createRateLimiter, type RateLimiter } from './rate-limit.ts';
import { type RateLimit, type RateLimitAnswer, rateLimitAnswer } from './rate-limit-answer.ts';

/** Share of the burst that may lie in slices of processes. */
const SLICED_SHARE = 0.1;
const LONGEST_SLICE_MS = 1_000;
/** Time for which a process limits by itself after the storage has failed. */
const ALONE_MS = 1_000;
/** Above this number of slices, expired ones are evicted. */
const KEPT = 10_000;

/** Requests of one key that this process may admit, and what it knows of the others' share. */
interface Slice {
  left: number;
  readonly taken: number;
  /** Requests in the storage after this slice was taken. */
  readonly others: number;
  readonly from: number;
  /** End of the slice, or of the refusals when nothing was taken. */
  readonly until: number;
  /** Earliest time of the next slice: later than now when the storage had less than was asked for. */
  readonly againAt: number;
}

/**
 * Creates a limiter that all processes on one storage share. A process takes slices of requests, larger ones the faster it uses
 * them, so that the storage sees a few writes a second for each key, however many requests arrive.
 *
 * Never admits more than `burst + perSecond × T` requests of a key in any time T, over all processes. What a slice may hold is
 * withheld from the burst, and what is left of an expired slice is lost, so a key may be refused a little early. While the
 * storage cannot be written, each process limits by itself.
 */
export function createSharedRateLimiter(
  { perSecond, burst }: RateLimit,
  leases: Pick<LeaseStore, 'takeCalls'>,
  clock: Clock,
): RateLimiter {
  const sliceMs = Math.min(LONGEST_SLICE_MS, ((SLICED_SHARE * burst) / perSecond) * 1000);
  const mostSliced = (perSecond * sliceMs) / 1000;
  // Requests of slices that were taken before a window pass in it too: they are taken off the burst.
  const capacity = Math.max(1, Math.floor(burst - mostSliced));
  const largest = Math.max(1, Math.floor(mostSliced));
  const rate = { perMinute: perSecond * 60, capacity, keep: 0 };
  const answer = rateLimitAnswer({ perSecond, burst: capacity });
  const alone = createRateLimiter({ perSecond, burst }, clock);
  const mutex = createKeyedMutex();
  const slices = new Map<string, Slice>();
  let aloneUntil = Number.NEGATIVE_INFINITY;

  /** Admits or refuses by the present slice; undefined when there is none. */
  function fromSlice(key: string): RateLimitAnswer | undefined {
    const slice = slices.get(key);
    const now = clock.now();
    if (slice === undefined || !isPresent(slice, now)) return undefined;
    if (slice.taken === 0) return answer.refused(slice.until - now);
    if (slice.left === 0) return now < slice.againAt ? answer.refused(slice.againAt - now) : undefined;
    slice.left -= 1;
    return answer.admitted(slice.left + slice.others);
  }

  async function takeSlice(key: string): Promise<void> {
    const askedAt = clock.now();
    const last = slices.get(key);
    const used = last === undefined ? 0 : last.taken - last.left;
    // One that was used up in time is followed by a larger one; else by one of the size that was used.
    const isUsedUp = last !== undefined && last.taken > 0 && last.left === 0 && isPresent(last, askedAt);
    const atMost = Math.max(1, Math.min(largest, isUsedUp ? 2 * used : used));
    const { taken, left, waitMs } = await leases.takeCalls(`requests:${key}`, { ...rate, atMost });
    if (slices.size > KEPT) forgetExpired(slices, askedAt);
    // Processes that ask for each request of a flood would ask as often as it is sent.
    const againAt = taken < atMost ? askedAt + sliceMs / 2 : askedAt;
    const until = taken > 0 ? askedAt + sliceMs : Math.max(againAt, clock.now() + waitMs);
    slices.set(key, { left: taken, taken, others: left, from: askedAt, until, againAt });
  }

  /** Takes the first request of a slice whatever time the storage took: it is admitted when its slice is taken. */
  async function fromStorage(key: string): Promise<RateLimitAnswer> {
    const present = fromSlice(key);
    if (present !== undefined) return present;
    await takeSlice(key);
    const slice = slices.get(key);
    if (slice === undefined || slice.taken === 0) return answer.refused(Math.max(1, (slice?.until ?? 0) - clock.now()));
    slice.left -= 1;
    return answer.admitted(slice.left + slice.others);
  }

  return {
    async take(key) {
      if (clock.now() < aloneUntil) return alone.take(key);
      const present = fromSlice(key);
      if (present !== undefined) return present;
      try {
        return await mutex.run(key, () => fromStorage(key));
      } catch (error) {
        // Reads go on while a disk is full, and so must the count of them.
        if (!StorageUnavailableError.isInstance(error)) throw error;
        aloneUntil = clock.now() + ALONE_MS;
        return alone.take(key);
      }
    },
  };
}

/** A clock that was set back ends a slice too. */
function isPresent({ from, until }: Slice, now: number): boolean {
  return now >= from && now < until;
}

function forgetExpired(slices: Map<string, Slice>, now: number): void {
  for (const [key, { until }] of slices) if (now >= until) slices.delete(key);
}
