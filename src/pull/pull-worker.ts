import type { AccountAccess, ConnectedAccount } from '../accounts/index.ts';
import { accountLeaseName, coolDownAfter, type HeldLeases, LEASE_MS } from '../leases/index.ts';
import type { Clock, CollectionKey, DueAccount, Logger, Storage } from '../ports/index.ts';
import { CALLS_AT_ONCE, describeError, nextTurn, type WakeUp } from '../runtime/index.ts';
import { failureOf } from './last-failure.ts';
import type { PullCoordinator } from './pull-coordinator.ts';
import type { SyncSettings } from './sync-settings.ts';

/** Maximum number of accounts that one process pulls at a time. */
const MAX_ACCOUNTS = 8;
const LONGEST_SLEEP_MS = 5_000;
const PURGE_EVERY_MS = 600_000;
const PURGE_BATCH = 1_000;
/** Wait before the collections of an account that cannot be pulled are due again. */
const SET_ASIDE_MS = 60_000;

export interface PullWorkerDeps {
  readonly storage: Pick<Storage, 'mirror' | 'schedule'>;
  readonly leases: HeldLeases;
  readonly accounts: AccountAccess;
  readonly coordinator: PullCoordinator;
  readonly settings: SyncSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly due: WakeUp;
  /** Converts a ProviderError into its public error; returns others unchanged. */
  readonly toPublicError: (error: unknown) => unknown;
}

/** Pulls due collections, account by account, until the signal aborts; then waits for the pulls in flight. */
export async function runPullWorker(deps: PullWorkerDeps, signal: AbortSignal): Promise<void> {
  const { storage, clock, logger, due } = deps;
  const running = new Set<Promise<void>>();
  let purgedAt = Number.NEGATIVE_INFINITY;

  const start = (claim: DueAccount) => {
    const work = pullAccount(deps, claim, signal)
      // The claimed collections become due again when the lease expires.
      .catch((error) =>
        logger.warn('the pulls of an account ended with an error', {
          accountId: claim.accountId,
          error: describeError(error),
        }),
      )
      .finally(() => {
        running.delete(work);
        due.notify();
      });
    running.add(work);
  };

  try {
    while (!signal.aborted) {
      if (clock.now() - purgedAt >= PURGE_EVERY_MS) {
        purgedAt = clock.now();
        await purge(deps, signal);
      }
      const free = MAX_ACCOUNTS - running.size;
      const claims = free > 0 ? await storage.schedule.claimDueAccounts(LEASE_MS, free) : [];
      claims.forEach(start);
      if (claims.length > 0) continue;
      await due.wait(free > 0 ? await sleepMs(deps) : LONGEST_SLEEP_MS, signal).catch((error) => {
        if (!signal.aborted) throw error;
      });
      // Pulls that end in one turn leave slots that one claim fills.
      await nextTurn();
    }
  } finally {
    await Promise.allSettled(running);
  }
}

/** Returns how long nothing is due. */
async function sleepMs({ storage, clock }: PullWorkerDeps): Promise<number> {
  const nextAt = (await storage.schedule.nextDueAt()) ?? Number.POSITIVE_INFINITY;
  // Another process holds the collections that are due but were not claimed. It does not announce their end.
  return nextAt <= clock.now() ? 1_000 : Math.min(nextAt - clock.now(), LONGEST_SLEEP_MS);
}

async function pullAccount(deps: PullWorkerDeps, claim: DueAccount, signal: AbortSignal): Promise<void> {
  const { leases, accounts, logger } = deps;
  const lease = { name: accountLeaseName(claim.accountId), epoch: claim.epoch };
  const queue = [...claim.collections];
  let isThrottled = false;
  const takeTurns = async (account: ConnectedAccount) => {
    // After throttling, the remaining collections are due at the end of the cool-down.
    while (!isThrottled && !signal.aborted) {
      const key = queue.shift();
      if (key === undefined) return;
      if (await isThrottledAt(deps, account, key)) isThrottled = true;
    }
  };
  const work = async () => {
    try {
      const account = await accounts.get(claim.applicationId, claim.accountId);
      await Promise.all(Array.from({ length: CALLS_AT_ONCE }, () => takeTurns(account)));
    } catch (error) {
      logger.warn('account not pulled', { accountId: claim.accountId, error: describeError(error) });
      for (const key of queue) await setAside(deps, key, error);
    }
  };
  await leases.during(lease, work);
}

/** Pulls one collection, and returns whether the provider throttled the pull. */
async function isThrottledAt(
  { coordinator, logger }: PullWorkerDeps,
  account: ConnectedAccount,
  key: CollectionKey,
): Promise<boolean> {
  try {
    await coordinator.pullDue(account, key);
    return false;
  } catch (error) {
    // The runner has recorded the failure and rescheduled the collection.
    logger.debug('a background pull ended with an error', { ...key, error: describeError(error) });
    return coolDownAfter(error) > 0;
  }
}

async function setAside(deps: PullWorkerDeps, key: CollectionKey, error: unknown): Promise<void> {
  const { storage, clock } = deps;
  const { failures } = await storage.schedule.get(key);
  await storage.schedule.finish(key, {
    failures: failures + 1,
    lastFailure: failureOf(deps, error),
    dueAt: clock.now() + SET_ASIDE_MS,
  });
}

/** Purges versions that no valid sync token can reach. */
async function purge({ storage, settings, clock }: PullWorkerDeps, signal: AbortSignal): Promise<void> {
  const before = clock.now() - settings.syncTokenLifetimeMs;
  while (!signal.aborted && (await storage.mirror.purge({ before, limit: PURGE_BATCH })) === PURGE_BATCH);
}
