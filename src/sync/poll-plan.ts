import { KalendsError } from '../errors.ts';
import {
  type Clock,
  type CollectionKey,
  ProviderError,
  type Random,
  type ScheduleState,
  type Storage,
} from '../ports/index.ts';
import { jittered } from '../runtime/index.ts';
import { LONGEST_COOL_DOWN_MS, type ProviderBudget } from './provider-budget.ts';
import type { PullOutcome } from './pull-context.ts';
import type { SyncSettings } from './sync-settings.ts';

/** A calendar that nobody has read for this long and nobody subscribes to is pulled on read only. */
const RECENT_READ_MS = 3_600_000;
/** A push can overtake the change that it announces: an empty answer is asked again after these waits. */
const HINT_REPEATS_MS = [5_000, 60_000] as const;
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 3_600_000;
/** Somebody who reads it tries again by reading. */
const UNWATCHED_FAILURES = 6;

export interface PollPlanDeps {
  readonly storage: Pick<Storage, 'channels' | 'subscriptions'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: SyncSettings;
  readonly budget: Pick<ProviderBudget, 'stretch'>;
}

/** When collections are due next. */
export interface PollPlan {
  /** Whether a live push channel covers the collection. */
  hasPush(key: CollectionKey): Promise<boolean>;
  /** Age of the mirror that a read accepts. `pushUntil` where the collection's push channels are known: until when there is one. */
  freshMs(key: CollectionKey, pushUntil?: number | null): Promise<number>;
  /** After a pull that ended well, which began with this schedule. dueAt null: never by itself. */
  afterSuccess(
    key: CollectionKey,
    schedule: ScheduleState,
    outcome: Pick<PullOutcome, 'changed' | 'againMs'>,
  ): Promise<{ readonly dueAt: number | null; readonly repeatsLeft: number }>;
  /** Whether a calendar whose last full pass began then is to be compared with the provider as a whole. */
  isDeepCheckDue(key: CollectionKey, fullAt: number): boolean;
  /** After the n-th failure in a row. */
  afterFailure(key: CollectionKey, schedule: ScheduleState, failures: number, error: unknown): Promise<number | null>;
}

/** Builds the plan: polls with ±25 %, stretched by the provider's budget; backoff that doubles, Retry-After honoured. */
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
    const stretchedMs = everyMs * budget.stretch(key.accountId);
    return clock.now() + Math.round(stretchedMs * (0.75 + 0.5 * random.fraction()));
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
    isDeepCheckDue({ accountId }, fullAt) {
      return clock.now() - fullAt >= settings.deepCheckEveryMs * budget.stretch(accountId);
    },
    async afterFailure(key, schedule, failures, error) {
      if (failures >= UNWATCHED_FAILURES && !(await isWatched(key, schedule))) return null;
      const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 20));
      return clock.now() + Math.max(jittered(backoffMs, random), retryAfterOf(error));
    },
  };
}

/** A pull that found nothing is repeated after a hint, and is one of the repetitions where some were left. */
function repeatsAfterEmpty({ hintSeq, clearedHintSeq, repeatsLeft }: ScheduleState): number {
  return hintSeq > clearedHintSeq ? HINT_REPEATS_MS.length : Math.max(0, repeatsLeft - 1);
}

/** How long a provider that asked to be left alone is, at most an hour; 0 when it did not ask. */
export function retryAfterOf(error: unknown): number {
  const known = ProviderError.isInstance(error) || KalendsError.isInstance(error);
  return known ? Math.min(LONGEST_COOL_DOWN_MS, error.retryAfterMs ?? 0) : 0;
}
