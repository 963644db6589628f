import type { AccountAccess, ConnectedAccount } from '../accounts/account-access.ts';
import type { Clock, CollectionKey, Logger, Storage } from '../ports/index.ts';
import { describeError, type HeldLeases, LEASE_MS, type WakeUp } from '../runtime/index.ts';
import type { Freshness } from './freshness.ts';
import { CALLS_AT_ONCE } from './in-parallel.ts';
import { accountLeaseName, coolDownAfter } from './provider-budget.ts';
import type { SyncSettings } from './sync-settings.ts';

/** Accounts worked on at once by one process. */
const ACCOUNTS = 8;
const LONGEST_SLEEP_MS = 5_000;
const PURGE_EVERY_MS = 600_000;
const PURGE_BATCH = 1_000;
/** Collections of an account that cannot be worked on are looked at again after this. */
const SET_ASIDE_MS = 60_000;

export interface WorkerDeps {
  readonly storage: Pick<Storage, 'mirror' | 'schedule'>;
  readonly leases: HeldLeases;
  readonly accounts: AccountAccess;
  readonly freshness: Freshness;
  readonly settings: SyncSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly due: WakeUp;
}

type Claim = NonNullable<Awaited<ReturnType<Storage['schedule']['claimDueAccount']>>>;

/** Works through due collections, account by account, until the signal aborts; then waits for what it has begun. */
export async function runWorker(deps: WorkerDeps, signal: AbortSignal): Promise<void> {
  const { storage, clock, logger, due } = deps;
  const running = new Set<Promise<void>>();
  let purgedAt = Number.NEGATIVE_INFINITY;
  try {
    while (!signal.aborted) {
      if (clock.now() - purgedAt >= PURGE_EVERY_MS) {
        purgedAt = clock.now();
        await purge(deps, signal);
      }
      const claim = running.size < ACCOUNTS ? await storage.schedule.claimDueAccount(LEASE_MS) : undefined;
      if (claim !== undefined) {
        const work = pullAccount(deps, claim, signal)
          // What was claimed is due again, or its lease over, by itself.
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
        continue;
      }
      const nextAt = (await storage.schedule.nextDueAt()) ?? Number.POSITIVE_INFINITY;
      // What is due already but was not given out is held by somebody: their end is not announced.
      const waitMs = nextAt <= clock.now() ? 1_000 : Math.min(nextAt - clock.now(), LONGEST_SLEEP_MS);
      await due.wait(waitMs, signal).catch((error) => {
        if (!signal.aborted) throw error;
      });
    }
  } finally {
    await Promise.allSettled(running);
  }
}

async function pullAccount(deps: WorkerDeps, claim: Claim, signal: AbortSignal): Promise<void> {
  const { leases, accounts, logger } = deps;
  const lease = { name: accountLeaseName(claim.accountId), epoch: claim.epoch };
  const queue = [...claim.collections];
  let isThrottled = false;
  const takeTurns = async (account: ConnectedAccount) => {
    // What is left when the provider throttles is due after the cool-down.
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
      logger.warn('an account could not be pulled', { accountId: claim.accountId, error: describeError(error) });
      for (const key of queue) await setAside(deps, key);
    }
  };
  await leases.during(lease, work);
}

/** Pulls one collection. Resolves with whether the provider throttled that. */
async function isThrottledAt(
  { freshness, logger }: WorkerDeps,
  account: ConnectedAccount,
  key: CollectionKey,
): Promise<boolean> {
  try {
    await freshness.pullDue(account, key);
    return false;
  } catch (error) {
    // The runner has recorded the failure and said when to try again.
    logger.debug('a background pull ended with an error', { ...key, error: describeError(error) });
    return coolDownAfter(error) > 0;
  }
}

async function setAside({ storage, clock }: WorkerDeps, key: CollectionKey): Promise<void> {
  const { failures } = await storage.schedule.get(key);
  await storage.schedule.finish(key, { failures: failures + 1, dueAt: clock.now() + SET_ASIDE_MS });
}

/** Versions that no valid token can ask for any more. */
async function purge({ storage, settings, clock }: WorkerDeps, signal: AbortSignal): Promise<void> {
  const before = clock.now() - settings.syncTokenLifetimeMs;
  while (!signal.aborted && (await storage.mirror.purge({ before, limit: PURGE_BATCH })) === PURGE_BATCH);
}
