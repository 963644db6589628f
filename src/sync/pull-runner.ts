import type { ConnectedAccount } from '../accounts/account-access.ts';
import { KalendsError } from '../errors.ts';
import type { CollectionKey, ScheduleState, Storage } from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';
import { pullLeaseName } from './collection-key.ts';
import { pullEvents } from './event-pull.ts';
import { type HeldLease, whileHeld } from './held-lease.ts';
import type { PollPlan } from './poll-plan.ts';
import type { ProviderBudget } from './provider-budget.ts';
import { type PullCollectionDeps, type PullMode, pullCollection } from './pull-collection.ts';
import type { PullOutcome } from './pull-context.ts';

const LEASE_MS = 90_000;
const LEASE_POLL_MS = 100;

export interface PullRunnerDeps extends PullCollectionDeps {
  readonly storage: Pick<Storage, 'mirror' | 'schedule' | 'leases'>;
  readonly plan: PollPlan;
  readonly budget: ProviderBudget;
}

/** Runs pulls, each collection by one process at a time. */
export interface PullRunner {
  /**
   * Pulls unless `isEnough` says that somebody else's finished pull will do (asked before it starts, and again while
   * another process holds the collection). Records the outcome in the schedule. @throws what the pull threw
   */
  run(
    account: ConnectedAccount,
    key: CollectionKey,
    isEnough: (schedule: ScheduleState) => boolean,
    mode: PullMode,
  ): Promise<void>;
}

/** Builds the runner. */
export function createPullRunner(deps: PullRunnerDeps): PullRunner {
  const { storage, plan, budget, clock, logger } = deps;
  const keeping = { leases: storage.leases, clock, logger };
  /** Empty pulls since a hint, by lease name: a push may come before the provider's feed shows its change. */
  const emptySinceHint = new Map<string, number>();

  async function pullHeld(
    account: ConnectedAccount,
    key: CollectionKey,
    lease: HeldLease,
    mode: PullMode,
  ): Promise<void> {
    const { name } = lease;
    const schedule = await storage.schedule.get(key);
    const startedAt = clock.now();
    let outcome: PullOutcome;
    try {
      outcome = await pullCollection(deps, account, key, lease, mode, pullEvents);
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
    async run(account, key, isEnough, mode) {
      const name = pullLeaseName(key);
      for (;;) {
        mode.signal.throwIfAborted();
        const lease = await storage.leases.claim(name, LEASE_MS);
        if (isEnough(await storage.schedule.get(key))) {
          if (lease !== undefined) await storage.leases.release(name, lease.epoch);
          return;
        }
        if (lease === undefined) {
          await clock.sleep(LEASE_POLL_MS, mode.signal);
          continue;
        }
        const held = { name, epoch: lease.epoch };
        return await whileHeld(keeping, held, LEASE_MS, () => pullHeld(account, key, held, mode));
      }
    },
  };
}
