import type { CallBudget } from '../options.ts';
import {
  type AccountRow,
  type Clock,
  type CollectionKey,
  KalendsError,
  type LeaseStore,
  type Logger,
  NO_TELEMETRY,
  ProviderError,
  type ScheduleStore,
  type Telemetry,
} from '../ports/index.ts';
import { createCallSlices } from './call-slices.ts';
import { type CallNeed, createDayBudget } from './day-budget.ts';
import { SpentBudgetError } from './spent-budget-error.ts';

/** Cool-down when the provider throttles without Retry-After. */
const DEFAULT_COOL_DOWN_MS = 30_000;
const SHORTEST_COOL_DOWN_MS = 1_000;
/** Longest cool-down, whatever Retry-After says: it may be wrong. */
export const LONGEST_COOL_DOWN_MS = 3_600_000;
/** Calls throttled within this time count as one throttling. */
const SAME_THROTTLING_MS = 60_000;
/** The backoff factor halves after this time without throttling. */
const RECOVERY_MS = 1_800_000;
const MOST_DOUBLINGS = 3;
/** A background call that waited longer than this for its client's budget counts as throttled. */
const LONG_WAIT_MS = 5_000;

/**
 * Bounds the calls to a provider, account by account. A throttled account's cool-down is stored in its schedule: every process
 * sees it, and it survives the process that was throttled. During a cool-down nothing is pulled; reads get the mirror, and
 * writes go on.
 */
export interface ProviderBudget {
  /**
   * Waits until the budget of the account's OAuth client has a call left. Resolves at once without a budget.
   * @throws ProviderError rate-limited, with `retryAfterMs`, when the wait would be too long
   */
  admit(account: AccountRow, need: CallNeed, signal: AbortSignal | undefined): Promise<void>;
  /** Notes a failed call. A throttled one starts a cool-down of the account, for as long as the provider asks. */
  noteFailure(account: Pick<CollectionKey, 'applicationId' | 'accountId'>, error: unknown): Promise<void>;
  /** Returns the factor by which the account's polls and reconciliations are slowed down: 1, 2, 4 or 8. */
  backoffFactor(accountId: string): number;
}

/** Returns the name of the lease for an account's background work. */
export function accountLeaseName(accountId: string): string {
  return `account:${accountId}`;
}

/** Returns the cool-down after this failure, 0 when the call was not throttled. */
export function coolDownAfter(error: unknown): number {
  const failure = failureOf(error);
  if (!ProviderError.isInstance(failure)) return 0;
  const { reason, retryAfterMs } = failure;
  // Graph also throttles by 503 with Retry-After.
  if (reason !== 'rate-limited' && (reason !== 'unavailable' || retryAfterMs === undefined)) return 0;
  return Math.min(LONGEST_COOL_DOWN_MS, Math.max(SHORTEST_COOL_DOWN_MS, retryAfterMs ?? DEFAULT_COOL_DOWN_MS));
}

/** Returns whether the call was refused because the daily budget has to last for more urgent ones. */
export function isDaySpent(error: unknown): boolean {
  const failure = failureOf(error);
  return failure instanceof SpentBudgetError && failure.isDaily;
}

/** Returns whether a budget had no call left: the provider has not been asked. */
export function isBudgetSpent(error: unknown): boolean {
  return failureOf(error) instanceof SpentBudgetError;
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
    readonly leases: Pick<LeaseStore, 'takeCalls' | 'takeDayCalls'>;
    readonly schedule: Pick<ScheduleStore, 'coolDown'>;
  };
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of each OAuth client, by provider type. Unlimited when missing. */
  readonly budgets: Readonly<Record<string, CallBudget>>;
  /** @default measures nothing */
  readonly telemetry?: Telemetry;
}): ProviderBudget {
  const { storage, clock, logger, budgets, telemetry = NO_TELEMETRY } = dependencies;
  const days = createDayBudget({ leases: storage.leases, clock, logger, telemetry });
  const slices = createCallSlices({ leases: storage.leases, clock });
  const throttled = new Map<string, Throttling>();

  /** Returns the doublings that remain after recovery. */
  function doublings(accountId: string): number {
    const last = throttled.get(accountId);
    if (last === undefined) return 0;
    const left = last.doublings - Math.floor((clock.now() - last.at) / RECOVERY_MS);
    if (left > 0) return left;
    throttled.delete(accountId);
    return 0;
  }

  /** Doubles the factor and returns it; undefined when it was raised just before. */
  function doubleBackoff(accountId: string): number | undefined {
    const now = clock.now();
    const last = throttled.get(accountId);
    if (last !== undefined && now - last.at < SAME_THROTTLING_MS) return undefined;
    const raised = Math.min(MOST_DOUBLINGS, doublings(accountId) + 1);
    throttled.set(accountId, { doublings: raised, at: now });
    return 2 ** raised;
  }

  return {
    async admit({ id, applicationId, providerType, providerConfigId }, need, signal) {
      // Without OAuth, the accounts of an application share a budget as those of a client do.
      const client = providerConfigId ?? `${applicationId}/${providerType}`;
      const { perMinute, perDay } = budgets[providerType] ?? {};
      if (perDay !== undefined) await days.take({ providerType, client, perDay }, need);
      if (perMinute === undefined) return;
      const isBackground = need !== 'caller';
      const { waitedMs } = await slices.take(client, perMinute, isBackground, signal);
      if (!isBackground || waitedMs < LONG_WAIT_MS) return;
      const backoffFactor = doubleBackoff(id);
      if (backoffFactor !== undefined) {
        logger.info('call budget short', { accountId: id, waitedMs, backoffFactor });
      }
    },
    async noteFailure({ applicationId, accountId }, error) {
      const coolDownMs = coolDownAfter(error);
      if (coolDownMs === 0 || isDaySpent(error)) return;
      const backoffFactor = doubleBackoff(accountId);
      if (backoffFactor !== undefined) {
        logger.info('account throttled by its provider', { accountId, coolDownMs, backoffFactor });
      }
      // Our own budget was spent, and the provider refused nothing: no cool-down.
      if (isBudgetSpent(error)) return;
      await storage.schedule.coolDown({ applicationId, accountId }, coolDownMs);
    },
    backoffFactor: (accountId) => 2 ** doublings(accountId),
  };
}
