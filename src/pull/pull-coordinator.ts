import type { ConnectedAccount } from '../accounts/index.ts';
import { KalendsError } from '../errors.ts';
import { listKeyOf, type MirrorPulls, pullLeaseName } from '../mirror/index.ts';
import {
  type CalendarContext,
  type Clock,
  type CollectionKey,
  type CollectionState,
  type Logger,
  type ScheduleState,
  type Storage,
  StorageUnavailableError,
} from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';
import { LIST_AGE_MS, type PollPlan } from './poll-plan.ts';
import { type PullFlight, PullFlights } from './pull-flights.ts';
import type { PullRunner } from './pull-runner.ts';
import { createReadCounter } from './read-counter.ts';
import type { Reconciliations } from './reconciliations.ts';
import type { SyncSettings } from './sync-settings.ts';
import { isTakeover } from './tell-pull.ts';

/** Differences of processes' clocks that are usual: a time that is ahead by no more is now. */
const CLOCKS_APART_MS = 5_000;
/** Retry-After of CalendarSyncing. */
const SYNCING_RETRY_MS = 2_000;
/** Minimum time between two writes of lastReadAt. */
const NOTE_READ_MS = 60_000;

export interface PullCoordinatorDeps {
  readonly storage: Pick<Storage, 'mirror' | 'schedule'>;
  readonly runner: PullRunner;
  readonly plan: PollPlan;
  readonly reconciliations: Reconciliations;
  readonly settings: SyncSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly toPublicError: (error: unknown) => unknown;
  /** Called from time to time for a calendar that is read often. */
  readonly readOften: (account: ConnectedAccount, calendarId: string) => void;
}

/** Coordinates pulls: for reads that need a recent mirror, on demand, and in the background. */
export interface PullCoordinator {
  /**
   * Opens a collection once it is complete and recent enough for reads, or as it is when the wait ends. `known` saves the
   * look-ups.
   * @throws KalendsError CalendarSyncing, or the provider's failure while there is no complete mirror
   */
  open(account: ConnectedAccount, key: CollectionKey, known?: CalendarContext): ReturnType<MirrorPulls['open']>;
  /** Pulls with requests that start after this call. @throws the public error */
  pull(account: ConnectedAccount, key: CollectionKey): Promise<void>;
  /**
   * Pulls in the background: joins a flight, then starts the reconciliation if it is due.
   * @param overlong ends the flight, whatever started it; its reason is a ProviderError
   * @throws the error of the pull
   */
  pullDue(account: ConnectedAccount, key: CollectionKey, overlong: AbortSignal): Promise<void>;
  /** Resolves when no pull and no reconciliation is in flight. */
  settled(): Promise<void>;
}

/** Creates the coordinator. Pulls are single-flight in the process, and across processes by the runner's leases. */
export function createPullCoordinator(deps: PullCoordinatorDeps, signal: AbortSignal): PullCoordinator {
  const { storage, plan, reconciliations, settings, clock, logger, toPublicError, readOften } = deps;
  const reads = createReadCounter(clock);
  const flights = new PullFlights(deps, signal);
  const listNotes = new Map<string, Promise<void>>();

  /** Whether a process whose clock is far ahead of this one's wrote the time, or this one's was set back: its age is not known. */
  const isAhead = (at: number): boolean => at > clock.now() + CLOCKS_APART_MS;

  async function isFresh(
    key: CollectionKey,
    schedule: ScheduleState,
    now: number,
    pushUntil: number | null | undefined,
  ): Promise<boolean> {
    const { syncedAt, hintSeq, clearedHintSeq } = schedule;
    if (syncedAt === null || isAhead(syncedAt) || hintSeq > clearedHintSeq) return false;
    return now - syncedAt <= (await plan.freshMs(key, pushUntil));
  }

  /** Waits for the flight, at most readWaitMs. @throws the error of the pull */
  async function waitFor(flight: PullFlight): Promise<void> {
    const waiting = new AbortController();
    const timeout = clock.sleep(settings.readWaitMs, waiting.signal).catch(() => undefined);
    try {
      await Promise.race([flight.done, timeout]);
    } finally {
      waiting.abort();
    }
  }

  async function refresh(account: ConnectedAccount, key: CollectionKey, isComplete: boolean): Promise<void> {
    const recent = flights.findFailure(key);
    if (recent !== undefined) {
      const failure = toPublicError(recent.error);
      if (!isComplete || isExpiry(failure)) throw failure;
      return;
    }
    const now = clock.now();
    const enough = await plan.freshMs(key);
    const isEnough = ({ syncedAt, hintSeq, clearedHintSeq }: ScheduleState) =>
      syncedAt !== null && !isAhead(syncedAt) && hintSeq <= clearedHintSeq && now - syncedAt <= enough;
    const flight = flights.join(account, key, isEnough);
    try {
      await waitFor(flight);
      // A background pull may have read only the objects that pushes have named.
      if (flight.isBackground && !isEnough(await storage.schedule.get(key))) {
        await waitFor(flights.join(account, key, isEnough));
      }
    } catch (error) {
      const failure = isTakeover(error) && !isComplete ? syncing() : toPublicError(error);
      // A complete mirror answers while the provider fails, but not for a deleted calendar or an expired account.
      if (!isComplete || isExpiry(failure) || isNotFound(failure)) throw failure;
    }
  }

  async function noteRead(account: ConnectedAccount, key: CollectionKey, schedule: ScheduleState): Promise<void> {
    const now = clock.now();
    if (schedule.lastReadAt !== null && now - schedule.lastReadAt < NOTE_READ_MS) return;
    await storage.schedule.noteRead(key, now);
    // Start polling: without a due time, the next pull would be the next read's.
    if (schedule.dueAt === null) await storage.schedule.dueBy(key, now + settings.pollWithoutPushMs, now);
    if (key.calendarId === null) return;
    if (settings.pushForReads && reads.note(pullLeaseName(key))) readOften(account, key.calendarId);
    await noteListRead(listKeyOf(key), now);
  }

  /** A read of many calendars notes their list once, not for each of them. */
  function noteListRead(key: CollectionKey, now: number): Promise<void> {
    const name = pullLeaseName(key);
    const running = listNotes.get(name);
    if (running !== undefined) return running;
    const note = async () => {
      const { syncedAt } = await storage.schedule.get(key);
      await storage.schedule.dueBy(key, Math.min(syncedAt ?? now, now) + LIST_AGE_MS, now);
    };
    const noted = note().finally(() => listNotes.delete(name));
    listNotes.set(name, noted);
    return noted;
  }

  return {
    async open(account, key, known) {
      // Read the schedule first: the state read after it is at least as recent as the schedule says.
      const schedule = known?.schedule ?? (await storage.schedule.get(key));
      const before = known?.state ?? (await storage.mirror.find(key));
      const isComplete = isCompleteState(before);
      const isEnough = isComplete && (await isFresh(key, schedule, clock.now(), known?.pushUntil));
      if (!isEnough) await refresh(account, key, isComplete);
      await noteRead(account, key, schedule).catch((error) => {
        // Best effort: a storage that cannot be written can still serve the read.
        if (!StorageUnavailableError.isInstance(error)) throw error;
        logger.debug('a read could not be noted', { ...key, error: describeError(error) });
      });
      if (isEnough) return opened(before, schedule);
      const state = await storage.mirror.find(key);
      if (state === undefined || state.completedAt === null) throw syncing();
      return opened({ ...state, completedAt: state.completedAt }, await storage.schedule.get(key));
    },
    async pull(account, key) {
      const asked = flights.latest;
      const askedAt = clock.now();
      // A time that is still to come is of a clock that is ahead: that pull may have begun before this call.
      const isEnough = ({ syncedAt }: ScheduleState) =>
        syncedAt !== null && syncedAt > askedAt && syncedAt <= clock.now();
      try {
        for (;;) {
          const flight = flights.join(account, key, isEnough);
          const isNew = flight.sequence > asked && !flight.isBackground;
          try {
            const outcome = await flight.done;
            // A read's flight ends without a pull where it finds a recent mirror.
            if (isNew && (outcome !== undefined || isEnough(await storage.schedule.get(key)))) return;
          } catch (error) {
            // Another process took the pull over, or it had started before this call: wait for the next one.
            if (isNew && !isTakeover(error)) throw error;
          }
        }
      } catch (error) {
        throw toPublicError(error);
      }
    },
    async pullDue(account, key, overlong) {
      const flight = flights.join(account, key, () => false, true);
      const giveUp = () => flight.giveUp(overlong.reason);
      overlong.addEventListener('abort', giveUp, { once: true });
      const outcome = await flight.done.finally(() => overlong.removeEventListener('abort', giveUp));
      if (outcome !== undefined) await reconciliations.startIfDue(account, key, outcome, signal);
    },
    async settled() {
      await flights.settled();
      await reconciliations.settled();
    },
  };
}

function opened(state: CollectionState & { readonly completedAt: number }, { syncedAt, pollEveryMs }: ScheduleState) {
  return { state, syncedAt: syncedAt ?? state.completedAt, pollEveryMs };
}

function syncing(): KalendsError {
  return new KalendsError('CalendarSyncing', 'The first synchronisation of this calendar is still under way.', {
    retryAfterMs: SYNCING_RETRY_MS,
  });
}

function isExpiry(error: unknown): boolean {
  return KalendsError.isInstance(error) && error.code === 'InvalidRefreshToken';
}

function isNotFound(error: unknown): boolean {
  return KalendsError.isInstance(error) && error.code === 'NotFound';
}

function isCompleteState(
  state: CollectionState | undefined,
): state is CollectionState & { readonly completedAt: number } {
  return state !== undefined && state.completedAt !== null;
}
