import type { ConnectedAccount } from '../accounts/account-access.ts';
import { KalendsError } from '../errors.ts';
import {
  type CollectionKey,
  type HeldLease,
  ProviderError,
  type ScheduleState,
  type Storage,
  type Telemetry,
} from '../ports/index.ts';
import { describeError, type HeldLeases } from '../runtime/index.ts';
import { pullLeaseName } from './collection-key.ts';
import { pullEvents } from './event-pull.ts';
import { observePull } from './observe-pull.ts';
import type { PollPlan } from './poll-plan.ts';
import type { ProviderBudget } from './provider-budget.ts';
import { type PullCollectionDeps, type PullMode, pullCollection } from './pull-collection.ts';
import type { PullOutcome } from './pull-context.ts';

/** Waits between looks at a collection that another process holds: most pulls are short, a process that died is not. */
const FIRST_LOOK_MS = 100;
const LONGEST_LOOK_MS = 1_000;

export interface PullRunnerDeps extends PullCollectionDeps {
  readonly storage: Pick<Storage, 'mirror' | 'schedule'>;
  readonly leases: HeldLeases;
  readonly plan: PollPlan;
  readonly budget: ProviderBudget;
  /** @default measures nothing */
  readonly telemetry?: Telemetry;
}

/** Runs pulls, each collection by one process at a time. */
export interface PullRunner {
  /**
   * Pulls unless `isEnough` says that somebody else's finished pull will do (asked before it starts, and again while
   * another process holds the collection). Records the outcome in the schedule.
   * @throws ProviderError rate-limited without asking the provider while the account cools down; else what the pull threw
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
  const { storage, leases, plan, budget, clock, logger } = deps;

  async function pullHeld(
    account: ConnectedAccount,
    key: CollectionKey,
    lease: HeldLease,
    mode: PullMode,
  ): Promise<void> {
    const schedule = await storage.schedule.get(key);
    const startedAt = clock.now();
    let outcome: PullOutcome;
    try {
      outcome = await observePull(deps, account, key, () =>
        pullCollection(deps, account, key, lease, mode, pullEvents),
      );
    } catch (error) {
      await recordFailure(key, schedule, error);
      throw error;
    }
    const next = await plan.afterSuccess(key, schedule, outcome);
    await storage.schedule.finish(key, {
      syncedAt: startedAt,
      clearedHintSeq: schedule.hintSeq,
      failures: 0,
      ...next,
    });
    logger.debug('pulled', { ...key, changed: outcome.changed, durationMs: clock.now() - startedAt });
  }

  async function recordFailure(key: CollectionKey, schedule: ScheduleState, error: unknown): Promise<void> {
    // A calendar that is gone has nothing to record; a lost lease means that somebody else is at it.
    if (KalendsError.isInstance(error) && (error.code === 'NotFound' || error.code === 'Conflict')) return;
    await budget.noteFailure(key, error);
    const failures = schedule.failures + 1;
    logger.warn('a pull failed', { ...key, failures, error: describeError(error) });
    const dueAt = await plan.afterFailure(key, schedule, failures, error);
    await storage.schedule.finish(key, { failures, dueAt });
  }

  return {
    async run(account, key, isEnough, mode) {
      const name = pullLeaseName(key);
      for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(LONGEST_LOOK_MS, lookMs * 1.5)) {
        mode.signal.throwIfAborted();
        const lease = await leases.claim(name);
        const schedule = await storage.schedule.get(key);
        const coolDownMs = schedule.notBefore - clock.now();
        if (isEnough(schedule) || coolDownMs > 0) {
          if (lease !== undefined) await leases.release(lease);
          if (isEnough(schedule)) return;
          throw new ProviderError('rate-limited', 'the provider has throttled the account', {
            retryAfterMs: coolDownMs,
          });
        }
        if (lease === undefined) {
          await clock.sleep(lookMs, mode.signal);
          continue;
        }
        return await leases.during(lease, () => pullHeld(account, key, lease, mode));
      }
    },
  };
}
