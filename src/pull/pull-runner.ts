import type { ConnectedAccount } from '../accounts/index.ts';
import type { ActivityFeed } from '../activity/index.ts';
import { KalendsError } from '../errors.ts';
import { type CallNeed, type HeldLeases, isDaySpent, LEASE_MS, type ProviderBudget } from '../leases/index.ts';
import { pullLeaseName } from '../mirror/index.ts';
import {
  type CollectionKey,
  type HeldLease,
  NO_TELEMETRY,
  ProviderError,
  type PullStart,
  type ScheduleState,
  type Storage,
  type Telemetry,
} from '../ports/index.ts';
import { createCoolDowns, describeError, isKeyringOutage, jittered } from '../runtime/index.ts';
import { failureOf } from './last-failure.ts';
import { observePull } from './observe-pull.ts';
import { type PollPlan, retryAfterOf } from './poll-plan.ts';
import { type PullCollectionDeps, type PullMode, pullCollection } from './pull-collection.ts';
import type { PullOutcome } from './pull-context.ts';
import { pullEvents } from './pull-events.ts';
import type { PushMisses } from './push-misses.ts';
import { NewerMappingError } from './resume-point.ts';
import { isAbandoned, tellPull } from './tell-pull.ts';

/** Waits between checks of a collection that another process holds: most pulls are short, but the lease of a dead process is not. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 1_000;
/** A poll asks again the sources of changes that were not asked for this share of its interval. */
const RECENT_SHARE = 0.75;
/** Age of another calendar's answer that a poll takes for its own, as a share of its interval. */
const SHARED_SHARE = 0.2;
/** Wait before a pull that met an unavailable keyring, or the mirror of a newer version. */
const OUTSIDE_WAIT_MS = 30_000;
/** Time between two warnings of mirrors that a newer version keeps. */
const WARN_EVERY_MS = 3_600_000;

export interface PullRunnerDeps extends PullCollectionDeps {
  readonly storage: Pick<Storage, 'mirror' | 'pulls' | 'schedule'>;
  readonly leases: HeldLeases;
  readonly plan: PollPlan;
  readonly budget: ProviderBudget;
  readonly pushMisses: PushMisses;
  /** Converts a ProviderError into its public error; returns others unchanged. */
  readonly toPublicError: (error: unknown) => unknown;
  /** @default measures nothing */
  readonly telemetry?: Telemetry;
  /** @default tells nothing */
  readonly activity?: Pick<ActivityFeed, 'tell'>;
}

/** Runs pulls, each collection in one process at a time. */
export interface PullRunner {
  /**
   * Pulls unless `isEnough` accepts the schedule left by another pull; checked before the pull and while another process holds
   * the collection. Records the outcome in the schedule, and resolves with it; undefined when none was needed.
   * @throws ProviderError rate-limited, without a provider call, while the account cools down; otherwise the pull's error
   */
  run(
    account: ConnectedAccount,
    key: CollectionKey,
    isEnough: (schedule: ScheduleState) => boolean,
    mode: RunMode,
  ): Promise<PullOutcome | undefined>;
}

export interface RunMode extends Pick<PullMode, 'signal'> {
  /** No caller waits for the pull. */
  readonly isBackground: boolean;
}

/** Creates the runner. */
export function createPullRunner(deps: PullRunnerDeps): PullRunner {
  const { storage, leases, plan, budget, clock, random, logger, pushMisses, telemetry = NO_TELEMETRY } = deps;
  const warned = createCoolDowns(clock, WARN_EVERY_MS);

  async function pullHeld(
    account: ConnectedAccount,
    key: CollectionKey,
    lease: HeldLease,
    start: PullStart,
    { signal, isBackground }: RunMode,
    released: () => void,
  ): Promise<PullOutcome> {
    const { schedule } = start;
    const need = isBackground ? backgroundNeed(schedule) : 'caller';
    const startedAt = clock.now();
    const namedOnly = isBackground && isNamedEnough(account, schedule, startedAt);
    const isPoll = need === 'routine' && sourcesOf(account) > 1 && (start.push?.until ?? 0) > startedAt;
    const askedSince = isPoll ? startedAt - RECENT_SHARE * (schedule.pollEveryMs ?? 0) : undefined;
    const sharedSince = need === 'routine' ? startedAt - SHARED_SHARE * (schedule.pollEveryMs ?? 0) : undefined;
    let outcome: PullOutcome;
    try {
      outcome = await observePull(deps, account, key, () =>
        pullCollection(
          deps,
          account,
          key,
          lease,
          start,
          { signal, need, namedOnly, askedSince, sharedSince, failures: schedule.failures },
          pullEvents,
        ),
      );
    } catch (error) {
      const failure = signal.aborted && !isAbandoned(error) ? signal.reason : error;
      // Cut off by the engine's stop, which says nothing of the provider: the collection stays due.
      const isStopped = signal.aborted && !ProviderError.isInstance(signal.reason);
      if (!isStopped) await recordFailure(key, schedule, failure, lease);
      throw failure;
    }
    const { providerToken } = outcome;
    const { isMissed, ...next } = await plan.afterSuccess(account, key, start, outcome);
    const { isPartial = false, isUnasked = false } = outcome;
    const finished = {
      ...(isPartial || isUnasked ? {} : { syncedAt: Math.min(startedAt, outcome.completeAt ?? startedAt) }),
      clearedHintSeq: schedule.hintSeq,
      // Where the provider was not asked, its last answer stands.
      ...(isUnasked ? { failures: schedule.failures } : { failures: 0, lastFailure: null }),
      ...next,
    };
    const token = providerToken === undefined ? {} : { providerToken };
    if (isMissed) await pushMisses.note(account, key);
    if (!(await storage.pulls.end(key, lease, { ...token, finished }))) {
      throw new KalendsError('Conflict', 'The lease was lost');
    }
    released();
    const { everyMs } = next.polls;
    const labels = { provider: account.row.providerType };
    if (everyMs !== null) telemetry.observe('kalends_poll_interval_seconds', labels, everyMs / 1_000);
    logger.debug('pulled', { ...key, changed: outcome.changed, durationMs: clock.now() - startedAt });
    return outcome;
  }

  async function recordFailure(
    key: CollectionKey,
    schedule: ScheduleState,
    error: unknown,
    lease: HeldLease,
  ): Promise<void> {
    // A deleted calendar has no schedule; after a lost lease, the new holder records its own outcome.
    if (isAbandoned(error)) return;
    if (isDaySpent(error)) return await awaitBudget(key, schedule, error, lease);
    if (error instanceof NewerMappingError) {
      warnOfNewer(key);
      // Without a process of that version it is for ever: a calendar that is not polled is not from now on either.
      const isPolled = schedule.dueAt !== null || schedule.hintSeq > schedule.clearedHintSeq;
      return await awaitOthers(key, schedule, error, lease, isPolled);
    }
    if (isKeyringOutage(error)) return await awaitOthers(key, schedule, error, lease, true);
    await budget.noteFailure(key, error);
    const failures = schedule.failures + 1;
    logger.warn('a pull failed', { ...key, failures, error: describeError(error) });
    const dueAt = await plan.afterFailure(key, schedule, failures, error);
    await storage.schedule.finish(
      key,
      { failures, lastFailure: failureOf(deps, error), dueAt, now: clock.now() },
      lease,
    );
  }

  /** The provider has not been asked: the pull waits for its share of the day, and has not failed. */
  async function awaitBudget(
    key: CollectionKey,
    { failures }: ScheduleState,
    error: unknown,
    lease: HeldLease,
  ): Promise<void> {
    const waitMs = jittered(retryAfterOf(error), random);
    logger.debug('a pull waits for the daily call budget', { ...key, waitMs });
    const now = clock.now();
    await storage.schedule.finish(key, { failures, dueAt: now + waitMs, now }, lease);
  }

  /** The provider has not been asked, and the account is sound: its polls do not slow down. */
  async function awaitOthers(
    key: CollectionKey,
    { failures }: ScheduleState,
    error: unknown,
    lease: HeldLease,
    isDue: boolean,
  ): Promise<void> {
    const dueAt = isDue ? clock.now() + jittered(OUTSIDE_WAIT_MS, random) : null;
    await storage.schedule.finish(
      key,
      { failures, lastFailure: failureOf(deps, error), dueAt, now: clock.now() },
      lease,
    );
  }

  /** After a return to an earlier version, no process would pull these calendars any more. */
  function warnOfNewer(key: CollectionKey): void {
    if (warned.isActive('newer')) return;
    warned.begin('newer');
    logger.warn('a newer version keeps mirrors up to date; without a process of it, they get old', { ...key });
  }

  return {
    async run(account, key, isEnough, mode) {
      const name = pullLeaseName(key);
      for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 1.5)) {
        mode.signal.throwIfAborted();
        const { epoch, start } = await storage.pulls.begin(key, { name, ttlMs: LEASE_MS });
        const lease = epoch === undefined ? undefined : { name, epoch };
        const { schedule, coolDownMs } = start;
        if (isEnough(schedule) || coolDownMs > 0) {
          if (lease !== undefined) await leases.release(lease);
          if (isEnough(schedule)) return undefined;
          throw new ProviderError('rate-limited', 'the account is cooling down after throttling', {
            retryAfterMs: coolDownMs,
          });
        }
        if (lease === undefined) {
          await clock.sleep(waitMs, mode.signal);
          continue;
        }
        return await leases.during(lease, (released) =>
          tellPull(deps, key, () => pullHeld(account, key, lease, start, mode, released)),
        );
      }
    },
  };
}

/** Returns how urgent a background pull is: one that a push caused, and the first one, come before polls. */
function backgroundNeed({ hintSeq, clearedHintSeq, repeatsLeft, syncedAt }: ScheduleState): CallNeed {
  return hintSeq > clearedHintSeq || repeatsLeft > 0 || syncedAt === null ? 'prompt' : 'routine';
}

/**
 * Returns whether the named objects are all that a pull has to read: every pending hint named its objects, the provider's feed
 * takes more than a call, and the next poll is not overdue.
 */
function isNamedEnough(account: ConnectedAccount, schedule: ScheduleState, now: number): boolean {
  const { hintSeq, clearedHintSeq, fullHintSeq, syncedAt, pollEveryMs } = schedule;
  if (hintSeq <= clearedHintSeq || fullHintSeq > clearedHintSeq || syncedAt === null) return false;
  // A time ahead of the clock, as after it was set back, tells no age.
  return sourcesOf(account) > 1 && syncedAt <= now && now < syncedAt + (pollEveryMs ?? 0);
}

const sourcesOf = ({ provider }: Pick<ConnectedAccount, 'provider'>): number => provider.events.callsPerPull ?? 1;
