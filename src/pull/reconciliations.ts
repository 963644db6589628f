import type { ConnectedAccount } from '../accounts/index.ts';
import { type HeldLeases, isDaySpent, type ProviderBudget } from '../leases/index.ts';
import { listKeyOf, pullLeaseName, reconciliationLeaseName } from '../mirror/index.ts';
import { type CollectionKey, type HeldLease, ProviderError, type Storage } from '../ports/index.ts';
import { createCoolDowns, describeError, withJoinedSignals } from '../runtime/index.ts';
import type { PollPlan } from './poll-plan.ts';
import { type PullCollectionDeps, pullCollection } from './pull-collection.ts';
import type { PullOutcome } from './pull-context.ts';
import { reconcileEvents } from './pull-events.ts';
import { openResumePoint } from './resume-point.ts';

/** Maximum reconciliations of one process: they are long and not urgent. */
const MAX_RUNNING = 2;
const RETRY_MS = 3_600_000;
/** One that takes longer gives up its place where another one is due: its server may go on for ever. */
const OVERLONG_MS = 3_600_000;
/** Wait of an account whose reconciliation gave up its place: its other calendars would most likely take as long. */
const OVERLONG_RETRY_MS = 86_400_000;
/** Age at which the list of calendars that are watched and not read is pulled again. */
const LIST_AGE_MS = 7 * 86_400_000;

export interface ReconciliationDeps extends PullCollectionDeps {
  readonly storage: Pick<Storage, 'mirror' | 'pulls' | 'schedule'>;
  readonly leases: HeldLeases;
  readonly plan: Pick<PollPlan, 'isReconciliationDue'>;
  readonly budget: ProviderBudget;
}

/** Compares whole calendars with their providers, beside their pulls. */
export interface Reconciliations {
  /** Starts a reconciliation if one is due after this pull and none is running in any process. Does not wait for its end. */
  startIfDue(
    account: ConnectedAccount,
    key: CollectionKey,
    pulled: Pick<PullOutcome, 'fullAt' | 'fullPages'>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Resolves when no reconciliation is running. */
  settled(): Promise<void>;
}

/** A reconciliation that is under way. */
interface Running {
  readonly key: CollectionKey;
  readonly startedAt: number;
  readonly overlong: AbortController;
}

export function createReconciliations(deps: ReconciliationDeps): Reconciliations {
  const { storage, leases, plan, budget, clock, logger } = deps;
  const running = new Map<Promise<void>, Running>();
  /** Failed reconciliations, by lease name. */
  const failed = createCoolDowns(clock, RETRY_MS);
  /** Accounts of those that gave up their place. */
  const setAside = createCoolDowns(clock, OVERLONG_RETRY_MS);

  function isDue(key: CollectionKey, pulled: Pick<PullOutcome, 'fullAt' | 'fullPages'>): boolean {
    if (key.calendarId === null || setAside.isActive(key.accountId)) return false;
    return !failed.isActive(reconciliationLeaseName(key)) && plan.isReconciliationDue(key, pulled);
  }

  /** Returns the longest that has taken too long. */
  function findOverlong(): Running | undefined {
    const isOverlong = ({ startedAt, overlong }: Running) =>
      !overlong.signal.aborted && clock.now() - startedAt >= OVERLONG_MS;
    return [...running.values()].find(isOverlong);
  }

  function giveUp({ key, overlong }: Running): void {
    setAside.begin(key.accountId);
    overlong.abort(new ProviderError('timeout', 'it took more than an hour while another one was due'));
  }

  /** Starts the sweep, undefined while the calendar is being pulled: it must not take over the sweep of a full resync. */
  async function startSweep(key: CollectionKey): Promise<number | undefined> {
    const lease = await leases.claim(pullLeaseName(key));
    return lease && leases.during(lease, async () => (await storage.mirror.startSweep(key, lease)).generation);
  }

  async function reconcile(
    account: ConnectedAccount,
    key: CollectionKey,
    lease: HeldLease,
    signal: AbortSignal,
  ): Promise<void> {
    const startedAt = clock.now();
    try {
      const start = await storage.pulls.read(key);
      const resume = openResumePoint(start.providerToken, account.provider.mappingVersion);
      // Another process may have just ended one.
      if (resume === undefined || !plan.isReconciliationDue(key, resume)) return;
      const generation = await startSweep(key);
      if (generation === undefined) return;
      const mode = { signal, need: 'routine' } as const;
      const { changed, againMs } = await pullCollection(deps, account, key, lease, start, mode, (pull) =>
        reconcileEvents(pull, generation),
      );
      failed.end(lease.name);
      // A hint, as a pull beside this one would overwrite a due time at its end.
      if (againMs !== undefined) await storage.schedule.hint(key, { isNamed: true });
      // A watched calendar's name and zone should be recent as well.
      const { syncedAt } = await storage.schedule.get(listKeyOf(key));
      await storage.schedule.dueBy(listKeyOf(key), (syncedAt ?? 0) + LIST_AGE_MS, clock.now());
      logger.info('reconciliation', { ...key, changed, durationMs: clock.now() - startedAt });
    } catch (error) {
      // The end of the process is no failure; that of one which took too long is.
      if (signal.aborted && !ProviderError.isInstance(signal.reason)) return;
      failed.begin(lease.name);
      if (isDaySpent(error)) return logger.debug('a reconciliation waits for the daily call budget', { ...key });
      logger.warn('a reconciliation failed', { ...key, error: describeError(error) });
      await budget.noteFailure(key, error);
    }
  }

  return {
    async startIfDue(account, key, pulled, signal) {
      if (signal.aborted || !isDue(key, pulled)) return;
      if (running.size >= MAX_RUNNING && findOverlong() === undefined) return;
      // Held while this very one is running, here or in another process.
      const lease = await leases.claim(reconciliationLeaseName(key));
      if (lease === undefined) return;
      if (running.size >= MAX_RUNNING) {
        const overlong = findOverlong();
        if (overlong !== undefined) giveUp(overlong);
        return await leases.release(lease);
      }
      const overlong = new AbortController();
      const work: Promise<void> = leases
        .during(lease, () =>
          withJoinedSignals([signal, overlong.signal], (ending) => reconcile(account, key, lease, ending)),
        )
        .catch((error) => logger.warn('a reconciliation ended with an error', { ...key, error: describeError(error) }))
        .finally(() => running.delete(work));
      running.set(work, { key, startedAt: clock.now(), overlong });
    },
    async settled() {
      while (running.size > 0) await Promise.allSettled(running.keys());
    },
  };
}
