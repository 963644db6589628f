import type { ConnectedAccount } from '../accounts/account-access.ts';
import { KalendsError } from '../errors.ts';
import {
  type CalendarStart,
  type Clock,
  type CollectionKey,
  type CollectionState,
  type Logger,
  ProviderError,
  type ScheduleState,
  type Storage,
  StorageUnavailableError,
} from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';
import { listKeyOf, pullLeaseName } from './collection-key.ts';
import type { DeepChecks } from './deep-check.ts';
import { type PollPlan, retryAfterOf } from './poll-plan.ts';
import type { PullRunner } from './pull-runner.ts';
import { createReadCounter } from './read-counter.ts';
import type { SyncSettings } from './sync-settings.ts';

/** While the provider is down, reads ask it again this often at most. */
const COOL_OFF_MS = 5_000;
/** What a client is told to wait while the first pull goes on. */
const SYNCING_RETRY_MS = 2_000;
/** lastReadAt is written this often at most. */
const NOTE_READ_MS = 60_000;
/** Whoever reads a calendar's events wants its place in the list to be about this true. */
const LIST_AGE_MS = 900_000;

export interface FreshnessDeps {
  readonly storage: Pick<Storage, 'mirror' | 'schedule'>;
  readonly runner: PullRunner;
  readonly plan: PollPlan;
  readonly deepChecks: DeepChecks;
  readonly settings: SyncSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly toPublicError: (error: unknown) => unknown;
  /** Called now and then for a calendar that is read often. */
  readonly readOften: (account: ConnectedAccount, calendarId: string) => void;
}

interface Flight {
  /** Requests made before this are answered by it. */
  readonly startsAfter: number;
  readonly done: Promise<void>;
}

/** Keeps collections fresh enough to read. */
export interface Freshness {
  /**
   * The collection once it is complete and as fresh as reads expect, or as it is when the wait is over. What is known of it
   * is not looked up.
   */
  open(
    account: ConnectedAccount,
    key: CollectionKey,
    known?: CalendarStart,
  ): Promise<{ readonly state: CollectionState; readonly syncedAt: number }>;
  /** A pull whose requests start after this call. @throws the public error */
  pull(account: ConnectedAccount, key: CollectionKey): Promise<void>;
  /** Pulls for the background worker: joins a running pull, and begins the deep check when it is due. @throws what the pull threw */
  pullDue(account: ConnectedAccount, key: CollectionKey): Promise<void>;
  /** Resolves when no pull is in flight, and no deep check. */
  settled(): Promise<void>;
}

/** Builds it: pulls are single-flight within the process, and through the runner's leases across processes. */
export function createFreshness(deps: FreshnessDeps, signal: AbortSignal): Freshness {
  const { storage, runner, plan, deepChecks, settings, clock, logger, toPublicError, readOften } = deps;
  const reads = createReadCounter(clock);
  const flights = new Map<string, Flight>();
  const coolOffs = new Map<string, { readonly until: number; readonly error: unknown }>();
  let sequence = 0;

  function coolOff(name: string, error: unknown): void {
    const now = clock.now();
    // Those that are over go, the older first: their collections may never be read again.
    for (const [old, { until }] of coolOffs) {
      if (until > now) break;
      coolOffs.delete(old);
    }
    coolOffs.delete(name);
    coolOffs.set(name, { until: now + Math.max(COOL_OFF_MS, retryAfterOf(error)), error });
  }

  /** Joins the running pull or starts one. */
  function join(
    account: ConnectedAccount,
    key: CollectionKey,
    isEnough: (schedule: ScheduleState) => boolean,
    isBackground = false,
  ): Flight {
    const name = pullLeaseName(key);
    const running = flights.get(name);
    if (running !== undefined) return running;
    const work = async () => {
      try {
        await runner.run(account, key, isEnough, { signal, isBackground });
        coolOffs.delete(name);
      } catch (error) {
        // A dead grant expires the account: whoever comes here after that has reconnected it, and need not wait.
        const isDeadGrant = ProviderError.isInstance(error) && error.reason === 'invalid-grant';
        if (!isDeadGrant) coolOff(name, error);
        throw error;
      } finally {
        flights.delete(name);
      }
    };
    const flight = { startsAfter: ++sequence, done: work() };
    flights.set(name, flight);
    // Whoever waits hears of a failure; when nobody does any more, it has been logged and scheduled.
    flight.done.catch((error) => logger.debug('a pull ended with an error', { ...key, error: describeError(error) }));
    return flight;
  }

  async function isFresh(
    key: CollectionKey,
    schedule: ScheduleState,
    now: number,
    pushUntil: number | null | undefined,
  ): Promise<boolean> {
    if (schedule.syncedAt === null || schedule.hintSeq > schedule.clearedHintSeq) return false;
    return now - schedule.syncedAt <= (await plan.freshMs(key, pushUntil));
  }

  /** Waits for the flight, at most readWaitMs. Resolves with whether it ended in time. @throws what the pull threw */
  async function waitFor(flight: Flight): Promise<boolean> {
    const waiting = new AbortController();
    const timeout = clock.sleep(settings.readWaitMs, waiting.signal).then(
      () => false,
      () => false,
    );
    try {
      return await Promise.race([flight.done.then(() => true), timeout]);
    } finally {
      waiting.abort();
    }
  }

  async function refresh(account: ConnectedAccount, key: CollectionKey, isComplete: boolean): Promise<void> {
    const cool = coolOffs.get(pullLeaseName(key));
    if (cool !== undefined && clock.now() < cool.until) {
      if (!isComplete || isExpiry(toPublicError(cool.error))) throw toPublicError(cool.error);
      return;
    }
    const now = clock.now();
    const enough = await plan.freshMs(key);
    const flight = join(account, key, ({ syncedAt, hintSeq, clearedHintSeq }) => {
      return syncedAt !== null && hintSeq <= clearedHintSeq && now - syncedAt <= enough;
    });
    try {
      await waitFor(flight);
    } catch (error) {
      const failure = isTakeover(error) && !isComplete ? syncing() : toPublicError(error);
      // With a complete mirror the provider's trouble is not the reader's; a calendar or an account that is gone is.
      if (!isComplete || isExpiry(failure) || isNotFound(failure)) throw failure;
    }
  }

  async function noteRead(account: ConnectedAccount, key: CollectionKey, schedule: ScheduleState): Promise<void> {
    const now = clock.now();
    if (schedule.lastReadAt !== null && now - schedule.lastReadAt < NOTE_READ_MS) return;
    await storage.schedule.noteRead(key, now);
    // From now on it is polled: without a due time it would wait for the next read.
    await storage.schedule.dueBy(key, now + settings.pollWithoutPushMs);
    if (key.calendarId === null) return;
    if (settings.pushForReads && reads.note(pullLeaseName(key))) readOften(account, key.calendarId);
    const list = await storage.schedule.get(listKeyOf(key));
    await storage.schedule.dueBy(listKeyOf(key), (list.syncedAt ?? now) + LIST_AGE_MS);
  }

  return {
    async open(account, key, known) {
      // The schedule first: what it says of the mirror's age is then true of the state at least.
      const schedule = known?.schedule ?? (await storage.schedule.get(key));
      const before = known?.state ?? (await storage.mirror.find(key));
      const isComplete = before !== undefined && before.completedAt !== null;
      const isEnough = isComplete && (await isFresh(key, schedule, clock.now(), known?.pushUntil));
      if (!isEnough) await refresh(account, key, isComplete);
      await noteRead(account, key, schedule).catch((error) => {
        // A note for the polls: a storage that cannot be written may still serve the read.
        if (!StorageUnavailableError.isInstance(error)) throw error;
        logger.debug('a read could not be noted', { ...key, error: describeError(error) });
      });
      if (isEnough) return { state: before, syncedAt: schedule.syncedAt ?? before.completedAt! };
      const state = await storage.mirror.find(key);
      if (state === undefined || state.completedAt === null) throw syncing();
      const { syncedAt } = await storage.schedule.get(key);
      return { state, syncedAt: syncedAt ?? state.completedAt };
    },
    async pull(account, key) {
      const asked = sequence;
      const askedAt = clock.now();
      const isAfter = ({ syncedAt }: ScheduleState) => syncedAt !== null && syncedAt > askedAt;
      try {
        for (;;) {
          const flight = join(account, key, isAfter);
          const isNew = flight.startsAfter > asked;
          try {
            await flight.done;
            if (isNew) return;
          } catch (error) {
            // Another process took it over, or it was not ours: the next one is waited for.
            if (isNew && !isTakeover(error)) throw error;
          }
        }
      } catch (error) {
        throw toPublicError(error);
      }
    },
    async pullDue(account, key) {
      await join(account, key, () => false, true).done;
      await deepChecks.startIfDue(account, key, signal);
    },
    async settled() {
      while (flights.size > 0) await Promise.allSettled([...flights.values()].map(({ done }) => done));
      await deepChecks.settled();
    },
  };
}

function syncing(): KalendsError {
  return new KalendsError('CalendarSyncing', 'The first synchronisation of this calendar is still under way.', {
    retryAfterMs: SYNCING_RETRY_MS,
  });
}

/** Whether a pull ended because its lease was lost. */
function isTakeover(error: unknown): boolean {
  return KalendsError.isInstance(error) && error.code === 'Conflict';
}

function isExpiry(error: unknown): boolean {
  return KalendsError.isInstance(error) && error.code === 'InvalidRefreshToken';
}

function isNotFound(error: unknown): boolean {
  return KalendsError.isInstance(error) && error.code === 'NotFound';
}
