import type { Clock, LeaseStore } from '../ports/index.ts';
import { createKeyedMutex } from '../runtime/index.ts';
import { SpentBudgetError } from './spent-budget-error.ts';

/** A slice expires after this time, so that a dead or idle process withholds little from the others. */
const SLICE_MS = 5_000;
/** Burst after a pause, as a share of a minute's calls: the most by which a minute can exceed its budget. */
const BURST_SHARE = 0.1;
/** Maximum wait for a call of a reader, and of background work. */
const LONGEST_WAIT_MS = { foreground: 5_000, background: 60_000 } as const;

interface Slice {
  left: number;
  readonly until: number;
}

/** Budgets the calls of each OAuth client across processes. A process takes a second's worth at a time from the storage. */
export interface CallSlices {
  /**
   * Waits in line until a call may be made, and returns the wait. Background work leaves half of the burst to the foreground.
   * @throws ProviderError rate-limited, with `retryAfterMs`, when the wait would be too long
   */
  take(
    client: string,
    perMinute: number,
    isBackground: boolean,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly waitedMs: number }>;
}

export function createCallSlices({
  leases,
  clock,
}: {
  readonly leases: Pick<LeaseStore, 'takeCalls'>;
  readonly clock: Clock;
}): CallSlices {
  const mutex = createKeyedMutex();
  const slices = new Map<string, Slice>();

  return {
    take(client, perMinute, isBackground, signal) {
      const kind = isBackground ? 'background' : 'foreground';
      const line = `${kind}:${client}`;
      const askedAt = clock.now();
      const capacity = Math.max(1, Math.floor(perMinute * BURST_SHARE));
      const keep = isBackground ? Math.floor(capacity / 2) : 0;
      const atMost = Math.max(1, Math.min(capacity - keep, Math.floor(perMinute / 60)));
      return mutex.run(line, async () => {
        for (;;) {
          signal?.throwIfAborted();
          const slice = slices.get(line);
          if (slice !== undefined && slice.left > 0 && clock.now() < slice.until) {
            slice.left -= 1;
            return { waitedMs: clock.now() - askedAt };
          }
          const { taken, waitMs } = await leases.takeCalls(`calls:${client}`, { perMinute, capacity, atMost, keep });
          if (taken > 0) {
            slices.set(line, { left: taken, until: clock.now() + SLICE_MS });
            continue;
          }
          if (clock.now() - askedAt + waitMs > LONGEST_WAIT_MS[kind]) {
            throw new SpentBudgetError('call budget', waitMs);
          }
          await clock.sleep(waitMs, signal);
        }
      });
    },
  };
}
