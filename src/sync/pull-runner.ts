import type { AccountAccess, ConnectedAccount } from '../accounts/account-access.ts';
import { KalendsError } from '../errors.ts';
import {
  type Clock,
  type CollectionKey,
  type CollectionState,
  type Logger,
  ProviderError,
  type Random,
  type ScheduleState,
  type Storage,
} from '../ports/index.ts';
import { describeError, randomHex } from '../runtime/index.ts';
import { pullCalendars } from './calendar-pull.ts';
import { listKeyOf, pullLeaseName } from './collection-key.ts';
import { deepCheckEvents, pullEvents } from './event-pull.ts';
import type { PollPlan } from './poll-plan.ts';
import { type ProviderBudget, restAfter } from './provider-budget.ts';
import type { EventPull, PullContext, PullOutcome } from './pull-context.ts';
import { calendarRef, storedCalendar } from './stored-calendar.ts';

const LEASE_MS = 90_000;
const LEASE_POLL_MS = 100;
const DEEP_CHECK_RETRY_MS = 3_600_000;

export interface PullRunnerDeps {
  readonly storage: Pick<Storage, 'mirror' | 'schedule' | 'leases'>;
  readonly accounts: AccountAccess;
  readonly plan: PollPlan;
  readonly budget: ProviderBudget;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Called after a commit that may have enqueued messages. */
  readonly enqueued: () => void;
}

/** Runs pulls, each collection by one process at a time. */
export interface PullRunner {
  /**
   * Pulls unless `isEnough` says that somebody else's finished pull will do (asked before it starts, and again while
   * another process holds the collection). Records the outcome in the schedule. `isBackground` adds the deep check when
   * it is due. @throws what the pull threw
   */
  run(
    account: ConnectedAccount,
    key: CollectionKey,
    isEnough: (schedule: ScheduleState) => boolean,
    signal: AbortSignal,
    isBackground: boolean,
  ): Promise<void>;
}

/** Builds the runner. */
export function createPullRunner(deps: PullRunnerDeps): PullRunner {
  const { storage, plan, budget, clock, logger } = deps;
  /** Empty pulls since a hint, by lease name: a push may come before the provider's feed shows its change. */
  const emptySinceHint = new Map<string, number>();
  /** When a deep check that failed is tried again, by lease name. */
  const deepCheckAfter = new Map<string, number>();

  async function pullHeld(
    account: ConnectedAccount,
    key: CollectionKey,
    lease: PullContext['lease'],
    signal: AbortSignal,
  ): Promise<PullOutcome> {
    const { name } = lease;
    const schedule = await storage.schedule.get(key);
    const startedAt = clock.now();
    let outcome: PullOutcome;
    try {
      outcome = await pullCollection(deps, account, key, lease, signal, pullEvents);
    } catch (error) {
      await recordFailure(key, schedule, error);
      throw error;
    }
    const wasHinted = schedule.hintSeq > schedule.clearedHintSeq;
    const empty = wasHinted ? 0 : emptySinceHint.get(name);
    const repeats = outcome.changed > 0 ? undefined : empty;
    if (repeats === undefined || repeats >= 2) emptySinceHint.delete(name);
    else emptySinceHint.set(name, repeats + 1);
    const dueAt = await plan.afterSuccess(key, schedule, repeats ?? 2);
    await storage.schedule.finish(key, { syncedAt: startedAt, clearedHintSeq: schedule.hintSeq, failures: 0, dueAt });
    logger.debug('pulled', { ...key, changed: outcome.changed, durationMs: clock.now() - startedAt });
    return outcome;
  }

  /** After the pull, so that readers meet a fresh mirror while it goes on. Its failure is not the pull's, unless the account has to rest. */
  async function deepCheck(
    account: ConnectedAccount,
    key: CollectionKey,
    lease: PullContext['lease'],
    signal: AbortSignal,
  ): Promise<void> {
    const startedAt = clock.now();
    try {
      const { changed } = await pullCollection(deps, account, key, lease, signal, deepCheckEvents);
      deepCheckAfter.delete(lease.name);
      // Whoever watches a calendar wants its name and zone to be right as well.
      await storage.schedule.dueBy(listKeyOf(key), clock.now());
      logger.info('deep check', { ...key, changed, durationMs: clock.now() - startedAt });
    } catch (error) {
      if (signal.aborted) throw error;
      deepCheckAfter.set(lease.name, clock.now() + DEEP_CHECK_RETRY_MS);
      logger.warn('a deep check failed', { ...key, error: describeError(error) });
      await budget.noteFailure(key.accountId, error);
      if (restAfter(error) > 0) throw error;
    }
  }

  function isDeepCheckDue(key: CollectionKey, name: string, { fullAt }: PullOutcome): boolean {
    if (key.calendarId === null || clock.now() < (deepCheckAfter.get(name) ?? 0)) return false;
    return plan.isDeepCheckDue(key, fullAt);
  }

  async function recordFailure(key: CollectionKey, schedule: ScheduleState, error: unknown): Promise<void> {
    // A calendar that is gone has nothing to record; a lost lease means that somebody else is at it.
    if (KalendsError.isInstance(error) && (error.code === 'NotFound' || error.code === 'Conflict')) return;
    await budget.noteFailure(key.accountId, error);
    const failures = schedule.failures + 1;
    logger.warn('a pull failed', { ...key, failures, error: describeError(error) });
    const dueAt = await plan.afterFailure(key, schedule, failures, error);
    await storage.schedule.finish(key, { failures, dueAt });
  }

  return {
    async run(account, key, isEnough, signal, isBackground) {
      const name = pullLeaseName(key);
      for (;;) {
        signal.throwIfAborted();
        const lease = await storage.leases.claim(name, LEASE_MS);
        if (isEnough(await storage.schedule.get(key))) {
          if (lease !== undefined) await storage.leases.release(name, lease.epoch);
          return;
        }
        if (lease === undefined) {
          await clock.sleep(LEASE_POLL_MS, signal);
          continue;
        }
        try {
          const held = { name, epoch: lease.epoch };
          const outcome = await pullHeld(account, key, held, signal);
          if (isBackground && isDeepCheckDue(key, name, outcome)) await deepCheck(account, key, held, signal);
          return;
        } finally {
          await storage.leases.release(name, lease.epoch);
        }
      }
    },
  };
}

async function pullCollection(
  deps: PullRunnerDeps,
  account: ConnectedAccount,
  key: CollectionKey,
  lease: PullContext['lease'],
  signal: AbortSignal,
  pullCalendar: (pull: EventPull) => Promise<PullOutcome>,
): Promise<PullOutcome> {
  const { storage, clock, random, logger, accounts } = deps;
  const { provider } = account;
  const session = accounts.session(account, signal);
  const context = (state: CollectionState): PullContext => ({
    mirror: storage.mirror,
    key,
    state,
    lease,
    clock,
    random,
    logger,
    enqueued: deps.enqueued,
    keepLease: leaseKeeper(deps, lease),
  });
  const init = { at: clock.now(), tag: randomHex(random) };
  if (key.calendarId === null) {
    const state = await storage.mirror.ensure(key, { ...init, timeZone: '' });
    return await pullCalendars({ ...context(state), provider, session });
  }
  const item = await storage.mirror.findItem(listKeyOf(key), key.calendarId);
  if (item === undefined) return await dropCalendar(deps, key);
  const calendar = storedCalendar(item);
  const state = await storage.mirror.ensure(key, { ...init, timeZone: calendar.timeZone });
  try {
    return await pullCalendar({ ...context(state), provider, session, calendar: calendarRef(calendar) });
  } catch (error) {
    // The list tells whether the calendar is gone or only this answer was wrong.
    if (ProviderError.isInstance(error) && error.reason === 'not-found') {
      await storage.schedule.dueBy(listKeyOf(key), clock.now());
    }
    throw error;
  }
}

async function dropCalendar({ storage, clock }: PullRunnerDeps, key: CollectionKey): Promise<never> {
  const list = await storage.mirror.find(listKeyOf(key));
  // Before the first list is complete, absence from it means nothing.
  if (list === undefined || list.completedAt === null) {
    await storage.schedule.dueBy(listKeyOf(key), clock.now());
    throw new ProviderError('not-found', 'the calendar list has not been read yet');
  }
  await storage.mirror.remove(key);
  throw new KalendsError('NotFound', 'The account has no such calendar.');
}

/** Extends the lease once a third of it is over. */
function leaseKeeper({ storage, clock }: PullRunnerDeps, { name, epoch }: PullContext['lease']): () => Promise<void> {
  let renewedAt = clock.now();
  return async () => {
    if (clock.now() - renewedAt < LEASE_MS / 3) return;
    renewedAt = clock.now();
    if (await storage.leases.renew(name, epoch, LEASE_MS)) return;
    throw new KalendsError('Conflict', 'Another process has taken over this pull.');
  };
}
