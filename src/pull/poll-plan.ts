import { KalendsError } from '../errors.ts';
import { LONGEST_COOL_DOWN_MS, type ProviderBudget } from '../leases/index.ts';
import {
  type Clock,
  type CollectionKey,
  ProviderError,
  type Random,
  type ScheduleState,
  type Storage,
} from '../ports/index.ts';
import { jittered } from '../runtime/index.ts';
import type { PullOutcome } from './pull-context.ts';
import type { SyncSettings } from './sync-settings.ts';

/** A calendar without subscriptions is polled until this time after its last read, then pulled only on read. */
const RECENT_READ_MS = 3_600_000;
/** Waits before a hinted pull that found nothing is repeated: a notification can arrive before its change is visible. */
const HINT_REPEATS_MS = [5_000, 60_000] as const;
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 3_600_000;
/** Consecutive failures after which an unwatched calendar is pulled only on read. */
const UNWATCHED_FAILURES = 6;

export interface PollPlanDeps {
  readonly storage: Pick<Storage, 'channels' | 'subscriptions'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: SyncSettings;
  readonly budget: Pick<ProviderBudget, 'backoffFactor'>;
}

/** Decides when collections are due next. */
export interface PollPlan {
  /** Returns whether a live push channel covers the collection. */
  hasPush(key: CollectionKey): Promise<boolean>;
  /** Returns the mirror age that a read accepts. @param pushUntil end of the collection's push channels, if known; null: none */
  freshMs(key: CollectionKey, pushUntil?: number | null): Promise<number>;
  /** Returns the next due time after a successful pull that began with this schedule. dueAt is null for pulls on read only. */
  afterSuccess(
    key: CollectionKey,
    schedule: ScheduleState,
    outcome: Pick<PullOutcome, 'changed' | 'againMs'>,
  ): Promise<{ readonly dueAt: number | null; readonly repeatsLeft: number }>;
  /** Returns whether reconciliation is due for a calendar whose last full pass began at `fullAt`. */
  isReconciliationDue(key: CollectionKey, fullAt: number): boolean;
  /** Returns the next due time after the n-th consecutive failure; null for pulls on read only. */
  afterFailure(key: CollectionKey, schedule: ScheduleState, failures: number, error: unknown): Promise<number | null>;
}

/** Creates the plan: polls with ±25 % jitter, slowed by the provider's budget; doubling backoff that honours Retry-After. */
export function createPollPlan({ storage, clock, random, settings, budget }: PollPlanDeps): PollPlan {
  async function hasPush(key: CollectionKey): Promise<boolean> {
    const channels = await storage.channels.list(key);
    return channels.some(
      ({ kind, expiresAt, providerChannelId }) =>
        kind === 'push' && providerChannelId !== null && expiresAt > clock.now(),
    );
  }

  async function isWatched(key: CollectionKey, { lastReadAt }: ScheduleState): Promise<boolean> {
    if (lastReadAt !== null && clock.now() - lastReadAt < RECENT_READ_MS) return true;
    return (await storage.subscriptions.countCovering(key.applicationId, key.accountId, key.calendarId)) > 0;
  }

  async function nextPollAt(key: CollectionKey, schedule: ScheduleState): Promise<number | null> {
    if (!(await isWatched(key, schedule))) return null;
    const everyMs = (await hasPush(key)) ? settings.pollWithPushMs : settings.pollWithoutPushMs;
    const slowedMs = everyMs * budget.backoffFactor(key.accountId);
    return clock.now() + Math.round(slowedMs * (0.75 + 0.5 * random.fraction()));
  }

  return {
    hasPush,
    async freshMs(key, pushUntil) {
      const isPushed = pushUntil === undefined ? await hasPush(key) : pushUntil !== null && pushUntil > clock.now();
      return isPushed ? settings.freshWithPushMs : settings.freshWithoutPushMs;
    },
    async afterSuccess(key, schedule, { changed, againMs }) {
      const repeatsLeft = changed > 0 ? 0 : repeatsAfterEmpty(schedule);
      const waits = [againMs, HINT_REPEATS_MS[HINT_REPEATS_MS.length - repeatsLeft]].filter((ms) => ms !== undefined);
      const dueAt = waits.length > 0 ? clock.now() + Math.min(...waits) : await nextPollAt(key, schedule);
      return { dueAt, repeatsLeft };
    },
    isReconciliationDue({ accountId }, fullAt) {
      return clock.now() - fullAt >= settings.reconcileEveryMs * budget.backoffFactor(accountId);
    },
    async afterFailure(key, schedule, failures, error) {
      if (failures >= UNWATCHED_FAILURES && !(await isWatched(key, schedule))) return null;
      const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 20));
      return clock.now() + Math.max(jittered(backoffMs, random), retryAfterOf(error));
    },
  };
}

/** Returns the repetitions left after a pull that found nothing: all of them after a hint, else one fewer. */
function repeatsAfterEmpty({ hintSeq, clearedHintSeq, repeatsLeft }: ScheduleState): number {
  return hintSeq > clearedHintSeq ? HINT_REPEATS_MS.length : Math.max(0, repeatsLeft - 1);
}

/** Returns the error's Retry-After, at most an hour; 0 without one. */
export function retryAfterOf(error: unknown): number {
  const known = ProviderError.isInstance(error) || KalendsError.isInstance(error);
  return known ? Math.min(LONGEST_COOL_DOWN_MS, error.retryAfterMs ?? 0) : 0;
}
