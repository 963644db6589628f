import {
  type AccountRow,
  type Clock,
  type CollectionKey,
  KalendsError,
  type LeaseStore,
  type Logger,
  ProviderError,
  type ScheduleStore,
} from '../ports/index.ts';
import { createCallSlices, SpentBudgetError } from './call-slices.ts';

/** A provider that throttles without saying for how long. */
const DEFAULT_COOL_DOWN_MS = 30_000;
const SHORTEST_COOL_DOWN_MS = 1_000;
/** A provider that asks for more is asked again after this: its answer may be wrong. */
export const LONGEST_COOL_DOWN_MS = 3_600_000;
/** Several calls that are throttled at once are one throttling. */
const SAME_THROTTLING_MS = 60_000;
/** The stretch halves after this long without throttling. */
const RECOVERY_MS = 1_800_000;
const MOST_DOUBLINGS = 3;
/** A background call that waited longer for its client's budget shows that there is too much to do. */
const LONG_WAIT_MS = 5_000;

/**
 * Decides how much is asked of a provider, account by account. The cool-down of a throttled account is in its schedule:
 * every process sees it, and it outlives the one that met the throttling. Nothing is pulled while it lasts; reads get the
 * mirror, and writes go on.
 */
export interface ProviderBudget {
  /**
   * Waits until the budget of the account's OAuth client has a call left; at once where there is no budget.
   * @throws ProviderError rate-limited, with `retryAfterMs`, when that would take too long
   */
  admit(account: AccountRow, isBackground: boolean, signal: AbortSignal | undefined): Promise<void>;
  /** Notes a failed call: one that the provider throttled begins a cool-down of the account, as long as the provider asks. */
  noteFailure(account: Pick<CollectionKey, 'applicationId' | 'accountId'>, error: unknown): Promise<void>;
  /** Factor by which polls and deep checks of the account are stretched: 1, 2, 4 or 8. */
  stretch(accountId: string): number;
}

/** Name of the lease under which an account's background work is done. */
export function accountLeaseName(accountId: string): string {
  return `account:${accountId}`;
}

/** How long an account is left alone after this failure; 0 when the call was not throttled. */
export function coolDownAfter(error: unknown): number {
  const failure = failureOf(error);
  if (!ProviderError.isInstance(failure)) return 0;
  const { reason, retryAfterMs } = failure;
  // Graph throttles by 503 with Retry-After too.
  if (reason !== 'rate-limited' && (reason !== 'unavailable' || retryAfterMs === undefined)) return 0;
  return Math.min(LONGEST_COOL_DOWN_MS, Math.max(SHORTEST_COOL_DOWN_MS, retryAfterMs ?? DEFAULT_COOL_DOWN_MS));
}

function failureOf(error: unknown): unknown {
  return KalendsError.isInstance(error) ? error.cause : error;
}

interface Throttling {
  readonly doublings: number;
  readonly at: number;
}

export function createProviderBudget(dependencies: {
  readonly storage: {
    readonly leases: Pick<LeaseStore, 'takeCalls'>;
    readonly schedule: Pick<ScheduleStore, 'coolDown'>;
  };
  readonly clock: Clock;
  readonly logger: Logger;
  /** Calls a minute of each OAuth client, by provider type; none: no limit. */
  readonly callsPerMinute: Readonly<Record<string, number>>;
}): ProviderBudget {
  const { storage, clock, logger, callsPerMinute } = dependencies;
  const slices = createCallSlices({ leases: storage.leases, clock });
  const throttled = new Map<string, Throttling>();

  /** Doublings that are left of it by now. */
  function doublings(accountId: string): number {
    const last = throttled.get(accountId);
    if (last === undefined) return 0;
    const left = last.doublings - Math.floor((clock.now() - last.at) / RECOVERY_MS);
    if (left > 0) return left;
    throttled.delete(accountId);
    return 0;
  }

  /** The stretch from now on; undefined when it has just been raised. */
  function doubleStretch(accountId: string): number | undefined {
    const now = clock.now();
    const last = throttled.get(accountId);
    if (last !== undefined && now - last.at < SAME_THROTTLING_MS) return undefined;
    const raised = Math.min(MOST_DOUBLINGS, doublings(accountId) + 1);
    throttled.set(accountId, { doublings: raised, at: now });
    return 2 ** raised;
  }

  return {
    async admit({ id, providerType, providerConfigId }, isBackground, signal) {
      const perMinute = callsPerMinute[providerType];
      if (perMinute === undefined) return;
      const { waitedMs } = await slices.take(providerConfigId, perMinute, isBackground, signal);
      if (!isBackground || waitedMs < LONG_WAIT_MS) return;
      const stretched = doubleStretch(id);
      if (stretched !== undefined) {
        logger.info('the budget of a client is short', { accountId: id, waitedMs, stretch: stretched });
      }
    },
    async noteFailure({ applicationId, accountId }, error) {
      const coolDownMs = coolDownAfter(error);
      if (coolDownMs === 0) return;
      const stretched = doubleStretch(accountId);
      if (stretched !== undefined) {
        logger.info('the provider throttles an account', { accountId, coolDownMs, stretch: stretched });
      }
      // Our own budget is kept by waiting in line for it: the provider has refused nothing.
      if (failureOf(error) instanceof SpentBudgetError) return;
      await storage.schedule.coolDown({ applicationId, accountId }, coolDownMs);
    },
    stretch: (accountId) => 2 ** doublings(accountId),
  };
}
