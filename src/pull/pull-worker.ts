import type { AccountAccess, ConnectedAccount } from '../accounts/index.ts';
import { accountLeaseName, coolDownAfter, type HeldLeases, LEASE_MS } from '../leases/index.ts';
import {
  type Clock,
  type CollectionKey,
  type DueAccount,
  type Logger,
  ProviderError,
  type ScheduleState,
  type Storage,
} from '../ports/index.ts';
import { CALLS_AT_ONCE, describeError, nextTurn, type WakeUp } from '../runtime/index.ts';
import { failureOf } from './last-failure.ts';
import type { PollPlan } from './poll-plan.ts';
import type { PullCoordinator } from './pull-coordinator.ts';
import type { SyncSettings } from './sync-settings.ts';

/** Maximum number of accounts that one process pulls at a time, apart from slow ones. */
const MAX_ACCOUNTS = 8;
/** An account whose pulls take longer leaves its slot to another one: its server may hang. */
const SLOW_MS = 10_000;
/** The same with slow ones. Bounds the memory of large first pulls. */
const MAX_ACCOUNTS_WITH_SLOW = 24;
/** The same of accounts that are failing: each of those on servers that hang would take a slot again and again. */
const MAX_FAILING = 16;
/**
 * An account whose pulls take longer gives up its slot where others wait for one, and counts as failing: its server may go on for
 * ever. A first pull of 200,000 events takes minutes.
 */
const OVERLONG_MS = 3_600_000;
const LONGEST_SLEEP_MS = 5_000;
const PURGE_EVERY_MS = 600_000;
const PURGE_BATCH = 1_000;
/** Wait before the collections of an account that cannot be pulled are due again. */
const SET_ASIDE_MS = 60_000;

export interface PullWorkerDeps {
  readonly storage: Pick<Storage, 'mirror' | 'schedule'>;
  readonly leases: HeldLeases;
  readonly accounts: AccountAccess;
  readonly coordinator: Pick<PullCoordinator, 'pullDue'>;
  readonly plan: Pick<PollPlan, 'afterFailure'>;
  readonly settings: SyncSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly due: WakeUp;
  /** Converts a ProviderError into its public error; returns others unchanged. */
  readonly toPublicError: (error: unknown) => unknown;
}

/** Pulls of an account that are under way. */
interface RunningPulls {
  readonly accountId: string;
  readonly startedAt: number;
  readonly isFailing: boolean;
  readonly overlong: AbortController;
}

/** Pulls due collections, account by account, until the signal aborts; then waits for the pulls in flight. */
export async function runPullWorker(deps: PullWorkerDeps, signal: AbortSignal): Promise<void> {
  const { storage, clock, logger, due } = deps;
  const running = new Map<Promise<void>, RunningPulls>();
  let purgedAt = Number.NEGATIVE_INFINITY;

  const start = (claim: DueAccount) => {
    const { accountId, isFailing } = claim;
    const overlong = new AbortController();
    const work = pullAccount(deps, claim, overlong.signal, signal)
      // The claimed collections become due again when the lease expires.
      .catch((error) =>
        logger.warn('the pulls of an account ended with an error', {
          accountId,
          error: describeError(error),
        }),
      )
      .finally(() => {
        running.delete(work);
        due.notify();
      });
    running.set(work, { accountId, startedAt: clock.now(), isFailing, overlong });
  };

  const freeSlots = () => {
    const pulls = [...running.values()];
    const quick = pulls.filter(({ startedAt }) => clock.now() - startedAt < SLOW_MS);
    const all = Math.min(MAX_ACCOUNTS - quick.length, MAX_ACCOUNTS_WITH_SLOW - running.size);
    return { all, failing: Math.min(all, MAX_FAILING - pulls.filter(({ isFailing }) => isFailing).length) };
  };

  /** Ends the longest pulls of failing accounts, and of the others, where they have every slot and an account waits. */
  const endOverlong = async () => {
    const pulls = [...running.values()];
    const failing = pulls.filter(({ isFailing }) => isFailing);
    const others = pulls.filter(({ isFailing }) => !isFailing);
    const taken = [
      ...(failing.length >= MAX_FAILING ? [failing] : []),
      ...(pulls.length >= MAX_ACCOUNTS_WITH_SLOW ? [others] : []),
    ];
    const longest = taken
      .flatMap((kind) => kind.find(({ overlong }) => !overlong.signal.aborted) ?? [])
      .filter(({ startedAt }) => clock.now() - startedAt >= OVERLONG_MS);
    if (longest.length === 0) return;
    const dueAt = await storage.schedule.nextDueAt();
    if (dueAt === null || dueAt > clock.now()) return;
    for (const { accountId, startedAt, overlong } of longest) {
      const durationMs = clock.now() - startedAt;
      logger.warn('pulls of an account are ended while others wait', { accountId, durationMs });
      overlong.abort(new ProviderError('timeout', 'the pulls took more than an hour while other accounts waited'));
    }
  };

  const claim = async ({ all, failing }: ReturnType<typeof freeSlots>) => {
    if (failing > 0) return await storage.schedule.claimDueAccounts(LEASE_MS, failing);
    return all > 0 ? await storage.schedule.claimDueAccounts(LEASE_MS, all, { soundOnly: true }) : [];
  };

  try {
    while (!signal.aborted) {
      if (clock.now() - purgedAt >= PURGE_EVERY_MS) {
        purgedAt = clock.now();
        await purge(deps, signal);
      }
      await endOverlong();
      const free = freeSlots();
      const claims = await claim(free);
      claims.forEach(start);
      if (claims.length > 0) continue;
      await due.wait(free.all > 0 ? await sleepMs(deps) : LONGEST_SLEEP_MS, signal).catch((error) => {
        if (!signal.aborted) throw error;
      });
      // Pulls that end in one turn leave slots that one claim fills.
      await nextTurn();
    }
  } finally {
    await Promise.allSettled(running.keys());
  }
}

/** Returns how long nothing is due. */
async function sleepMs({ storage, clock }: PullWorkerDeps): Promise<number> {
  const nextAt = (await storage.schedule.nextDueAt()) ?? Number.POSITIVE_INFINITY;
  // Another process holds the collections that are due but were not claimed. It does not announce their end.
  return nextAt <= clock.now() ? 1_000 : Math.min(nextAt - clock.now(), LONGEST_SLEEP_MS);
}

async function pullAccount(
  deps: PullWorkerDeps,
  claim: DueAccount,
  overlong: AbortSignal,
  signal: AbortSignal,
): Promise<void> {
  const { storage, leases, accounts, plan, clock, logger } = deps;
  const lease = { name: accountLeaseName(claim.accountId), epoch: claim.epoch };
  const queue = [...claim.collections];
  const setAside = async (error: unknown, dueAtOf: DueAtOf) => {
    for (const key of queue.splice(0)) await postpone(deps, key, error, dueAtOf);
  };
  const takeTurns = async (account: ConnectedAccount) => {
    for (let key = queue.shift(); key !== undefined && !signal.aborted; key = queue.shift()) {
      const error = await failureOfPull(deps, account, key, overlong);
      if (coolDownAfter(error) > 0) {
        // The remaining collections are due at the end of the cool-down.
        queue.length = 0;
      } else if (overlong.aborted && !signal.aborted) {
        // While another process pulls it, this one records nothing, and the collection would be due at once.
        if (error !== undefined && isDue(await storage.schedule.get(key), clock.now())) queue.push(key);
        await setAside(overlong.reason, plan.afterFailure);
      } else if (isUnanswered(error) && !signal.aborted) {
        // Each of the others would most likely wait as long for a server that hangs.
        await setAside(error, plan.afterFailure);
      }
    }
  };
  const work = async () => {
    try {
      const account = await accounts.get(claim.applicationId, claim.accountId);
      await Promise.all(Array.from({ length: CALLS_AT_ONCE }, () => takeTurns(account)));
    } catch (error) {
      logger.warn('account not pulled', { accountId: claim.accountId, error: describeError(error) });
      await setAside(error, async () => clock.now() + SET_ASIDE_MS);
    }
  };
  await leases.during(lease, work);
}

/** Pulls one collection, and returns the error of a pull that failed. */
async function failureOfPull(
  { coordinator, logger }: PullWorkerDeps,
  account: ConnectedAccount,
  key: CollectionKey,
  overlong: AbortSignal,
): Promise<unknown> {
  try {
    await coordinator.pullDue(account, key, overlong);
    return undefined;
  } catch (error) {
    // The runner has recorded the failure and rescheduled the collection.
    logger.debug('a background pull ended with an error', { ...key, error: describeError(error) });
    return error;
  }
}

const isDue = ({ dueAt }: ScheduleState, now: number): boolean => dueAt !== null && dueAt <= now;

/** Returns whether the provider gave no answer at all; one that answers 500 may do so for one calendar alone. */
function isUnanswered(error: unknown): boolean {
  if (!ProviderError.isInstance(error) || error.status !== undefined) return false;
  return error.reason === 'timeout' || error.reason === 'unavailable';
}

type DueAtOf = PollPlan['afterFailure'];

/** Counts a failure of the account as one of a collection that was not pulled. */
async function postpone(deps: PullWorkerDeps, key: CollectionKey, error: unknown, dueAtOf: DueAtOf): Promise<void> {
  const schedule = await deps.storage.schedule.get(key);
  const failures = schedule.failures + 1;
  const dueAt = await dueAtOf(key, schedule, failures, error);
  const lastFailure = failureOf(deps, error);
  await deps.storage.schedule.finish(key, { failures, lastFailure, dueAt, now: deps.clock.now() });
}

/** Purges versions that no valid sync token can reach. */
async function purge({ storage, settings, clock }: PullWorkerDeps, signal: AbortSignal): Promise<void> {
  const before = clock.now() - settings.syncTokenLifetimeMs;
  while (!signal.aborted && (await storage.mirror.purge({ before, limit: PURGE_BATCH })) === PURGE_BATCH);
}
