import { KalendsError } from '../errors.ts';
import { createLeaseKeeper, LEASE_MS } from '../leases/index.ts';
import type {
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
import { createKeyedMutex, describeError, randomHex, type WakeUp } from '../runtime/index.ts';
import { type HeldIntent, heldIntent, type WorkableIntent } from './held-intent.ts';

const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;
/** Longer than the lease of a process that died. */
const MAX_WAIT_MS = 45_000;
const BUSY_RETRY_MS = 5_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** Settled at once by one process. */
const MAX_CONCURRENT = 4;
const LONGEST_SLEEP_MS = 10_000;

/** Fields of a new intent that its caller decides; see IntentRow. */
export type NewIntent = Omit<IntentRow, 'id' | 'createdAt'>;

export interface IntentKeeperDeps {
  readonly intents: IntentStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Wakes `run` when an intent has been left behind. */
  readonly wakeUp: WakeUp;
  /** Called when another process took an intent over: what was sent may have arrived after that process looked. */
  readonly reconsider: (intent: StoredIntent) => Promise<void>;
  /** Told why an abandoned intent could not be settled: a throttled account is left alone for a while. */
  readonly noteFailure: (key: CollectionKey, error: unknown) => Promise<void>;
}

/** Finds out what became of an abandoned intent, and ends it. An error leaves the intent to a later attempt. */
export type SettleIntent = (intent: HeldIntent) => Promise<void>;

/** Acquires and releases write intents. */
export interface IntentKeeper {
  /**
   * Begins an intent and does its work with the lease extended. Waits, in order within this process, while another intent
   * holds one of its groups; settles an abandoned one first.
   * @throws KalendsError Conflict when other writers take too long; whatever `settle` throws
   */
  hold<Result>(order: NewIntent, work: (intent: HeldIntent) => Promise<Result>, settle: SettleIntent): Promise<Result>;
  /** Begins an intent that holds no groups, or says what became of the one that has its key. */
  begin(order: NewIntent): Promise<Exclude<IntentBegun, { readonly kind: 'group-held' }>>;
  /** Works on a claimed intent and renews its lease; one that is not over at the end is abandoned, for `run` to settle. */
  work<Result>(claimed: WorkableIntent, work: (intent: HeldIntent) => Promise<Result>): Promise<Result>;
  /** Returns a wait for another worker's intent, longer each time. @throws KalendsError Conflict after `MAX_WAIT_MS` */
  startWaiting(): () => Promise<void>;
  /** Settles abandoned intents until the signal aborts; then waits for those it has begun. */
  run(signal: AbortSignal, settle: SettleIntent): Promise<void>;
}

export function createIntentKeeper(deps: IntentKeeperDeps): IntentKeeper {
  const { intents, clock, random, logger, wakeUp, reconsider, noteFailure } = deps;
  const leases = createLeaseKeeper((held: readonly IntentRef[]) => intents.renew(held, LEASE_MS), deps);
  const mutex = createKeyedMutex();

  const begin = (order: NewIntent) =>
    intents.begin({ ...order, id: randomHex(random), createdAt: clock.now() }, LEASE_MS);

  function startWaiting(): () => Promise<void> {
    const since = clock.now();
    let waitMs = FIRST_PAUSE_MS;
    return async () => {
      if (clock.now() - since >= MAX_WAIT_MS) throw busy();
      await clock.sleep(waitMs);
      waitMs = Math.min(MAX_PAUSE_MS, waitMs * 2);
    };
  }

  async function takeHold(order: NewIntent, settle: SettleIntent): Promise<WorkableIntent> {
    const wait = startWaiting();
    for (;;) {
      const begun = await begin(order);
      if (begun.kind === 'begun') return begun;
      const { key, id, state } = begun.by;
      const left = state === 'abandoned' ? await intents.claim(key.applicationId, id, LEASE_MS) : undefined;
      if (left === undefined) await wait();
      else await work(left, settle);
    }
  }

  async function work<Result>(claimed: WorkableIntent, doIt: (intent: HeldIntent) => Promise<Result>): Promise<Result> {
    const intent = heldIntent(claimed);
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

  async function settleNext(running: Set<Promise<void>>, settle: SettleIntent): Promise<boolean> {
    const claimed = running.size < MAX_CONCURRENT ? await intents.claimAbandoned(LEASE_MS) : undefined;
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
    hold(order, doIt, settle) {
      const { applicationId, accountId, calendarId } = order.key;
      const name = JSON.stringify([applicationId, accountId, calendarId, order.groupIds[0]]);
      return mutex.run(name, async () => await work(await takeHold(order, settle), doIt));
    },
    async begin(order) {
      const begun = await begin({ ...order, groupIds: [] });
      if (begun.kind === 'group-held') throw busy();
      return begun;
    },
    work,
    startWaiting,
    async run(signal, settle) {
      const running = new Set<Promise<void>>();
      try {
        while (!signal.aborted) {
          if (await settleNext(running, settle)) continue;
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
