import { createHash } from 'node:crypto';
import type { ConnectedAccount } from '../accounts/index.ts';
import { KalendsError } from '../errors.ts';
import { LONGEST_COOL_DOWN_MS, type ProviderBudget } from '../leases/index.ts';
import {
  type Clock,
  type CollectionKey,
  ProviderError,
  type PullStart,
  type PushCover,
  type Random,
  type ScheduleState,
  type Storage,
} from '../ports/index.ts';
import { type NextPolls, nextPolls, PUSH_GRACE_MS } from './poll-interval.ts';
import type { PullOutcome } from './pull-context.ts';
import { longestPollMs, type SyncSettings } from './sync-settings.ts';

/** A calendar without subscriptions is polled until this time after its last read, then pulled only on read. */
const RECENT_READ_MS = 3_600_000;
/** Age at which a calendar list is pulled again while it, or a calendar on it, is read. */
export const LIST_AGE_MS = 900_000;
/** Waits before a hinted pull that found nothing is repeated: a notification can arrive before its change is visible. */
const HINT_REPEATS_MS = [5_000, 60_000] as const;
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 3_600_000;
/** Polls behind a channel come this much before the end of their interval, which bounds the age of the mirror. */
const EARLY_SHARE = 0.1;
/** Longest interval of reconciliation, for the largest calendars. */
const LONGEST_RECONCILIATIONS = 14;
/** Consecutive failures after which an unwatched calendar is pulled only on read. */
const UNWATCHED_FAILURES = 6;

export interface PollPlanDeps {
  readonly storage: Pick<Storage, 'channels' | 'subscriptions'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: SyncSettings;
  readonly budget: Pick<ProviderBudget, 'backoffFactor'>;
}

/** When a collection is due next, and what the pull tells about its channel. */
export interface NextPull {
  /** By the clock whose present time `now` is; null for pulls on read only. */
  readonly dueAt: number | null;
  readonly now: number;
  readonly repeatsLeft: number;
  readonly polls: Pick<ScheduleState, 'unannouncedAt'> & {
    readonly everyMs: number | null;
    readonly readEveryMs: number | null;
  };
  /** The collection's channel missed a change. */
  readonly isMissed: boolean;
}

/** Decides when collections are due next. */
export interface PollPlan {
  /** Returns the mirror age that a read accepts. @param pushUntil end of the collection's push channels, if known; null: none */
  freshMs(key: CollectionKey, pushUntil?: number | null): Promise<number>;
  /** Returns what follows a successful pull that began with this. */
  afterSuccess(
    { provider }: Pick<ConnectedAccount, 'provider'>,
    key: CollectionKey,
    start: Pick<PullStart, 'schedule' | 'push' | 'isSubscribed'>,
    outcome: Pick<PullOutcome, 'changed' | 'listed' | 'isPartial' | 'completeAt' | 'againMs'>,
  ): Promise<NextPull>;
  /** Returns whether reconciliation is due for a calendar whose last full pass began at `fullAt` and took this many pages. */
  isReconciliationDue(key: CollectionKey, full: Pick<PullOutcome, 'fullAt' | 'fullPages'>): boolean;
  /** Returns the next due time after the n-th consecutive failure; null for pulls on read only. */
  afterFailure(key: CollectionKey, schedule: ScheduleState, failures: number, error: unknown): Promise<number | null>;
}

/**
 * Creates the plan: polls slowed by the provider's budget, without push with ±25 % jitter; doubling backoff that honours
 * Retry-After.
 */
export function createPollPlan({ storage, clock, random, settings, budget }: PollPlanDeps): PollPlan {
  async function readPush(key: CollectionKey): Promise<PushCover | null> {
    const channels = (await storage.channels.list(key)).filter(
      ({ kind, expiresAt, providerChannelId }) =>
        kind === 'push' && providerChannelId !== null && expiresAt > clock.now(),
    );
    if (channels.length === 0) return null;
    return {
      since: Math.min(...channels.map(({ createdAt }) => createdAt)),
      until: Math.max(...channels.map(({ expiresAt }) => expiresAt)),
    };
  }

  const isRead = ({ lastReadAt }: ScheduleState): boolean =>
    lastReadAt !== null && clock.now() - lastReadAt < RECENT_READ_MS;

  const isSubscribed = async ({ applicationId, accountId, calendarId }: CollectionKey): Promise<boolean> =>
    (await storage.subscriptions.countCovering(applicationId, accountId, calendarId)) > 0;

  const isWatched = async (key: CollectionKey, schedule: ScheduleState): Promise<boolean> =>
    isRead(schedule) || (await isSubscribed(key));

  /** Returns the interval of polls without push. A list that is merely read changes too rarely for that of a calendar. */
  async function unpushedMs(key: CollectionKey, wasSubscribed: boolean): Promise<number> {
    const { pollWithoutPushMs } = settings;
    if (key.calendarId !== null || wasSubscribed || (await isSubscribed(key))) return pollWithoutPushMs;
    return Math.max(pollWithoutPushMs, LIST_AGE_MS);
  }

  /** Returns the next poll of a watched collection: within `everyMs`, and soon after the end of its channel. */
  function nextPollAt({ accountId }: CollectionKey, everyMs: number, pushUntil: number | undefined): number {
    const now = clock.now();
    const slowedMs = everyMs * budget.backoffFactor(accountId);
    if (pushUntil === undefined) return now + Math.round(slowedMs * (0.75 + 0.5 * random.fraction()));
    const dueAt = now + Math.round(slowedMs * (1 - EARLY_SHARE * random.fraction()));
    return Math.min(dueAt, pushUntil + settings.pollWithoutPushMs);
  }

  return {
    async freshMs(key, pushUntil) {
      const until = pushUntil === undefined ? (await readPush(key))?.until : pushUntil;
      return until != null && until > clock.now() ? settings.freshWithPushMs : settings.freshWithoutPushMs;
    },
    async afterSuccess({ provider }, key, start, { changed, listed, isPartial, completeAt, againMs }) {
      const { schedule } = start;
      const now = clock.now();
      // A long pull, as the first one, may end under another channel than it began with.
      const push = changed === 0 ? start.push : await readPush(key);
      const bounds = { shortestMs: settings.pollWithPushMs, longestMs: longestPollMs(settings, provider) };
      const polls: NextPolls =
        push === null
          ? { everyMs: await unpushedMs(key, start.isSubscribed), unannouncedAt: null, isMissed: false }
          : nextPolls({ schedule, openedAt: push.since, hasFound: listed > 0, now }, bounds);
      const { isMissed, unannouncedAt } = polls;
      const repeatsLeft = changed > 0 ? 0 : repeatsAfterEmpty(schedule);
      // Behind a channel, polls ask the provider's sources of changes in turn.
      const pollMs = push === null ? polls.everyMs : polls.everyMs / (provider.events.callsPerPull ?? 1);
      // A subscription may have come since the pull began.
      const isWanted = start.isSubscribed || (await isWatched(key, schedule));
      const nextAt = isWanted ? nextPollAt(key, pollMs, push?.until) : null;
      // A pull that left a source of changes out puts none of its polls off.
      const askedAt = isPartial === true ? (schedule.syncedAt ?? now) : completeAt;
      const latestAt = askedAt === undefined ? Number.POSITIVE_INFINITY : askedAt + polls.everyMs;
      const pollAt = nextAt === null ? null : Math.min(nextAt, latestAt);
      const repeatMs = HINT_REPEATS_MS[HINT_REPEATS_MS.length - repeatsLeft];
      const times = [
        againMs === undefined ? undefined : now + againMs,
        repeatMs === undefined ? undefined : now + repeatMs,
        unannouncedAt === null ? undefined : unannouncedAt + PUSH_GRACE_MS,
      ].filter((at) => at !== undefined);
      const dueAt = times.length > 0 ? Math.min(...times) : pollAt;
      const everyMs = pollAt === null ? null : polls.everyMs;
      const { pollEveryMs: readEveryMs } = schedule;
      return { dueAt, now, repeatsLeft, polls: { everyMs, readEveryMs, unannouncedAt }, isMissed };
    },
    isReconciliationDue({ accountId }, { fullAt, fullPages }) {
      const everyMs = settings.reconcileEveryMs * Math.min(Math.max(1, fullPages), LONGEST_RECONCILIATIONS);
      return clock.now() - fullAt >= everyMs * budget.backoffFactor(accountId);
    },
    async afterFailure(key, schedule, failures, error) {
      if (failures >= UNWATCHED_FAILURES && !(await isWatched(key, schedule))) return null;
      const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 20));
      // Spread by account: its collections stay together, and a server that hangs costs one wait for all of them.
      const spreadMs = Math.round(backoffMs * (0.8 + 0.4 * fractionOf(key.accountId)));
      return clock.now() + Math.max(spreadMs, retryAfterOf(error));
    },
  };
}

/** Returns the repetitions left after a pull that found nothing: all of them after a hint, else one fewer. */
function repeatsAfterEmpty({ hintSeq, clearedHintSeq, repeatsLeft }: ScheduleState): number {
  return hintSeq > clearedHintSeq ? HINT_REPEATS_MS.length : Math.max(0, repeatsLeft - 1);
}

/** Returns a number of thousandths below 1 that is always the same for the text. */
function fractionOf(text: string): number {
  return (createHash('sha256').update(text).digest().readUInt32BE() % 1_000) / 1_000;
}

/** Returns the error's Retry-After, at most an hour; 0 without one. */
export function retryAfterOf(error: unknown): number {
  const known = ProviderError.isInstance(error) || KalendsError.isInstance(error);
  return known ? Math.min(LONGEST_COOL_DOWN_MS, error.retryAfterMs ?? 0) : 0;
}
