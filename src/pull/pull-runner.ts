import type { ConnectedAccount } from '../accounts/index.ts';
import { KalendsError } from '../errors.ts';
import type { HeldLeases, ProviderBudget } from '../leases/index.ts';
import { pullLeaseName } from '../mirror/index.ts';
import {
  type CollectionKey,
  type HeldLease,
  ProviderError,
  type ScheduleState,
  type Storage,
  type Telemetry,
} from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';
import { observePull } from './observe-pull.ts';
import type { PollPlan } from './poll-plan.ts';
import { type PullCollectionDeps, type PullMode, pullCollection } from './pull-collection.ts';
import type { PullOutcome } from './pull-context.ts';
import { pullEvents } from './pull-events.ts';

/** Waits between checks of a collection that another process holds: most pulls are short, but the lease of a dead process is not. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 1_000;

export interface PullRunnerDeps extends PullCollectionDeps {
  readonly storage: Pick<Storage, 'mirror' | 'schedule'>;
  readonly leases: HeldLeases;
  readonly plan: PollPlan;
  readonly budget: ProviderBudget;
  /** @default measures nothing */
  readonly telemetry?: Telemetry;
}

/** Runs pulls, each collection in one process at a time. */
export interface PullRunner {
  /**
   * Pulls unless `isEnough` accepts the schedule left by another pull; checked before the pull and while another process holds
   * the collection. Records the outcome in the schedule.
   * @throws ProviderError rate-limited, without a provider call, while the account cools down; otherwise the pull's error
   */
  run(
    account: ConnectedAccount,
    key: CollectionKey,
    isEnough: (schedule: ScheduleState) => boolean,
    mode: PullMode,
  ): Promise<void>;
}

/** Creates the runner. */
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
    // A deleted calendar has no schedule; after a lost lease, the new holder records its own outcome.
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
      for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 1.5)) {
        mode.signal.throwIfAborted();
        const lease = await leases.claim(name);
        const schedule = await storage.schedule.get(key);
        const coolDownMs = schedule.notBefore - clock.now();
        if (isEnough(schedule) || coolDownMs > 0) {
          if (lease !== undefined) await leases.release(lease);
          if (isEnough(schedule)) return;
          throw new ProviderError('rate-limited', 'the account is cooling down after throttling', {
            retryAfterMs: coolDownMs,
          });
        }
        if (lease === undefined) {
          await clock.sleep(waitMs, mode.signal);
          continue;
        }
        return await leases.during(lease, () => pullHeld(account, key, lease, mode));
      }
    },
  };
}
