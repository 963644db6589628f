import { KalendsError } from '../errors.ts';
import type {
  ClaimedIntent,
  Clock,
  CollectionKey,
  IntentBegun,
  IntentRef,
  IntentRow,
  IntentStore,
  Logger,
  Random,
  StoredIntent,
} from '../ports/index.ts';
import {
  createKeyedMutex,
  createLeaseKeeper,
  describeError,
  LEASE_MS,
  randomHex,
  type WakeUp,
} from '../runtime/index.ts';
import { type TrackedIntent, trackedIntent } from './tracked-intent.ts';

const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 500;
/** Longer than the lease of a process that died. */
const PATIENCE_MS = 45_000;
const BUSY_RETRY_MS = 5_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** Settled at once by one process. */
const AT_ONCE = 4;
const LONGEST_SLEEP_MS = 10_000;

/** What the caller of a new intent decides about it; see IntentRow. */
export type NewIntent = Omit<IntentRow, 'id' | 'createdAt'>;

export interface IntentKeeperDeps {
  readonly intents: IntentStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Wakes `run` when an intent has been left behind. */
  readonly wakeUp: WakeUp;
  /** Finds out what became of an abandoned intent, and ends it. What it throws leaves it to a later attempt. */
  readonly settle: (intent: TrackedIntent) => Promise<void>;
  /** Called when an intent was lost at work: what was sent may have arrived after somebody else had looked. */
  readonly reconsider: (intent: StoredIntent) => Promise<void>;
  /** Told why an abandoned intent could not be settled: a throttled account is left alone for a while. */
  readonly noteFailure: (key: CollectionKey, error: unknown) => Promise<void>;
}

/** Takes intents into this process's hands and out of them again. */
export interface IntentKeeper {
  /**
   * Begins an intent. While another one holds one of its groups it waits, in order within this process; one that was
   * abandoned is settled first. Work is done with the intent's lease extended.
   * @throws KalendsError Conflict when others have been at it for too long; what settling an abandoned one throws
   */
  hold<Result>(order: NewIntent, work: (intent: TrackedIntent) => Promise<Result>): Promise<Result>;
  /** Begins an intent that holds no groups, or says what became of the one that has its key. */
  begin(order: NewIntent): Promise<Exclude<IntentBegun, { readonly kind: 'group-held' }>>;
  /** Works on an intent in one's hands, its lease extended; one that is not over at the end is left to the sweeper. */
  work<Result>(claimed: ClaimedIntent, work: (intent: TrackedIntent) => Promise<Result>): Promise<Result>;
  /** Waits for somebody else who works on an intent, each time longer. @throws KalendsError Conflict when that was too long */
  createPatience(): () => Promise<void>;
  /** Settles what has been abandoned until the signal aborts; then waits for what it has begun. */
  run(signal: AbortSignal): Promise<void>;
}

export function createIntentKeeper(deps: IntentKeeperDeps): IntentKeeper {
  const { intents, clock, random, logger, wakeUp, settle, reconsider, noteFailure } = deps;
  const leases = createLeaseKeeper((held: readonly IntentRef[]) => intents.renew(held, LEASE_MS), deps);
  const mutex = createKeyedMutex();

  const begin = (order: NewIntent) =>
    intents.begin({ ...order, id: randomHex(random), createdAt: clock.now() }, LEASE_MS);

  function createPatience(): () => Promise<void> {
    const since = clock.now();
    let waitMs = FIRST_WAIT_MS;
    return async () => {
      if (clock.now() - since >= PATIENCE_MS) throw busy();
      await clock.sleep(waitMs);
      waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
    };
  }

  async function takeHold(order: NewIntent): Promise<ClaimedIntent> {
    const wait = createPatience();
    for (;;) {
      const begun = await begin(order);
      if (begun.kind === 'begun') return begun;
      const { key, id, state } = begun.by;
      const left = state === 'abandoned' ? await intents.claim(key.applicationId, id, LEASE_MS) : undefined;
      if (left === undefined) await wait();
      else await work(left, settle);
    }
  }

  async function work<Result>(
    claimed: ClaimedIntent,
    doIt: (intent: TrackedIntent) => Promise<Result>,
  ): Promise<Result> {
    const intent = trackedIntent(claimed);
    try {
      return await leases.during(intent.ref, () => doIt(intent));
    } finally {
      if (!intent.isOver) {
        const isLeft = await intents.abandon(intent.ref, retryInMs(intent.ref.epoch));
        if (isLeft) wakeUp.notify();
        else await reconsider(intent.intent);
      }
    }
  }

  async function settleNext(running: Set<Promise<void>>): Promise<boolean> {
    const claimed = running.size < AT_ONCE ? await intents.claimAbandoned(LEASE_MS) : undefined;
    if (claimed === undefined) return false;
    const { id, key, kind } = claimed.intent;
    const settling: Promise<void> = work(claimed, settle)
      .catch(async (error) => {
        logger.warn('an intent could not be settled', { ...key, intentId: id, kind, error: describeError(error) });
        await noteFailure(key, error);
      })
      .catch((error) => logger.warn('a failure could not be noted', { ...key, error: describeError(error) }))
      .finally(() => {
        running.delete(settling);
        wakeUp.notify();
      });
    running.add(settling);
    return true;
  }

  return {
    hold(order, doIt) {
      const { applicationId, accountId, calendarId } = order.key;
      const name = JSON.stringify([applicationId, accountId, calendarId, order.groupIds[0]]);
      return mutex.run(name, async () => await work(await takeHold(order), doIt));
    },
    async begin(order) {
      const begun = await begin({ ...order, groupIds: [] });
      if (begun.kind === 'group-held') throw busy();
      return begun;
    },
    work,
    createPatience,
    async run(signal) {
      const running = new Set<Promise<void>>();
      try {
        while (!signal.aborted) {
          if (await settleNext(running)) continue;
          const nextAt = (await intents.nextAbandonedAt()) ?? Number.POSITIVE_INFINITY;
          const waitMs = Math.max(FIRST_RETRY_MS, Math.min(nextAt - clock.now(), LONGEST_SLEEP_MS));
          await wakeUp.wait(waitMs, signal).catch((error) => {
            if (!signal.aborted) throw error;
          });
        }
      } finally {
        await Promise.allSettled(running);
      }
    },
  };
}

/** The first attempt comes soon; what fails again and again is tried every minute, for its events wait. */
function retryInMs(epoch: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 4 ** (epoch - 1));
}

function busy(): KalendsError {
  return new KalendsError('Conflict', 'Another write to this is under way.', { retryAfterMs: BUSY_RETRY_MS });
}
