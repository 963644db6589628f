import type { ConnectedAccount } from '../accounts/account-access.ts';
import type { CollectionKey, HeldLease, Storage } from '../ports/index.ts';
import { createRests, describeError, type HeldLeases } from '../runtime/index.ts';
import { deepCheckLeaseName, listKeyOf, pullLeaseName } from './collection-key.ts';
import { deepCheckEvents } from './event-pull.ts';
import type { PollPlan } from './poll-plan.ts';
import type { ProviderBudget } from './provider-budget.ts';
import { openResumePoint } from './provider-token.ts';
import { type PullCollectionDeps, pullCollection } from './pull-collection.ts';

/** Of one process: a deep check is long and in no hurry. */
const AT_ONCE = 2;
const RETRY_MS = 3_600_000;

export interface DeepCheckDeps extends PullCollectionDeps {
  readonly storage: Pick<Storage, 'mirror' | 'schedule'>;
  readonly leases: HeldLeases;
  readonly plan: Pick<PollPlan, 'isDeepCheckDue'>;
  readonly budget: ProviderBudget;
}

/** Compares calendars with their providers as a whole, beside their pulls. */
export interface DeepChecks {
  /** Begins one if it is due and nobody is at it; resolves without waiting for it. */
  startIfDue(account: ConnectedAccount, key: CollectionKey, signal: AbortSignal): Promise<void>;
  /** Resolves when none is going on. */
  settled(): Promise<void>;
}

export function createDeepChecks(deps: DeepCheckDeps): DeepChecks {
  const { storage, leases, plan, budget, clock, logger } = deps;
  const running = new Set<Promise<void>>();
  /** Those that failed, by lease name. */
  const failed = createRests(clock, RETRY_MS);

  async function isDue({ provider }: ConnectedAccount, key: CollectionKey): Promise<boolean> {
    if (key.calendarId === null || running.size >= AT_ONCE) return false;
    if (failed.isResting(deepCheckLeaseName(key))) return false;
    const resume = openResumePoint(await storage.mirror.findProviderToken(key), provider.mappingVersion);
    return resume !== undefined && plan.isDeepCheckDue(key, resume.fullAt);
  }

  /** Starts the sweep while nobody pulls: it must not take over that of a full resync. Undefined: somebody does. */
  async function startSweep(key: CollectionKey): Promise<number | undefined> {
    const lease = await leases.claim(pullLeaseName(key));
    return lease && leases.during(lease, async () => (await storage.mirror.startSweep(key, lease)).generation);
  }

  async function check(
    account: ConnectedAccount,
    key: CollectionKey,
    lease: HeldLease,
    signal: AbortSignal,
  ): Promise<void> {
    const startedAt = clock.now();
    try {
      const generation = await startSweep(key);
      if (generation === undefined) return;
      const mode = { signal, isBackground: true };
      const { changed, againMs } = await pullCollection(deps, account, key, lease, mode, (pull) =>
        deepCheckEvents(pull, generation),
      );
      failed.end(lease.name);
      if (againMs !== undefined) await storage.schedule.dueBy(key, clock.now() + againMs);
      // Whoever watches a calendar wants its name and zone to be right as well.
      await storage.schedule.dueBy(listKeyOf(key), clock.now());
      logger.info('deep check', { ...key, changed, durationMs: clock.now() - startedAt });
    } catch (error) {
      if (signal.aborted) return;
      failed.begin(lease.name);
      logger.warn('a deep check failed', { ...key, error: describeError(error) });
      await budget.noteFailure(key, error);
    }
  }

  return {
    async startIfDue(account, key, signal) {
      if (signal.aborted || !(await isDue(account, key))) return;
      const lease = await leases.claim(deepCheckLeaseName(key));
      if (lease === undefined) return;
      const work: Promise<void> = leases
        .during(lease, () => check(account, key, lease, signal))
        .catch((error) => logger.warn('a deep check ended with an error', { ...key, error: describeError(error) }))
        .finally(() => running.delete(work));
      running.add(work);
    },
    async settled() {
      while (running.size > 0) await Promise.allSettled([...running]);
    },
  };
}
