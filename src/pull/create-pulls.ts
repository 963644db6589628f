import { setMaxListeners } from 'node:events';
import type { AccountAccess, ConnectedAccount } from '../accounts/index.ts';
import type { ActivityFeed } from '../activity/index.ts';
import type { HeldLeases, ProviderBudget } from '../leases/index.ts';
import type { MirrorPulls } from '../mirror/index.ts';
import {
  type Clock,
  type CollectionKey,
  KalendsError,
  type Logger,
  type Random,
  type Storage,
  type Telemetry,
} from '../ports/index.ts';
import type { WakeUp } from '../runtime/index.ts';
import { createPollPlan } from './poll-plan.ts';
import { createPullCoordinator } from './pull-coordinator.ts';
import { createPullRunner } from './pull-runner.ts';
import { runPullWorker } from './pull-worker.ts';
import { createPushMisses } from './push-misses.ts';
import { createReconciliations } from './reconciliations.ts';
import type { SyncSettings } from './sync-settings.ts';

/** Another process, or this one's next, begins the pull anew. */
const RETRY_AFTER_MS = 2_000;

export interface PullDeps {
  readonly storage: Pick<Storage, 'channels' | 'mirror' | 'pulls' | 'schedule' | 'subscriptions'>;
  readonly leases: HeldLeases;
  readonly accounts: AccountAccess;
  readonly settings: SyncSettings;
  readonly budget: ProviderBudget;
  /** Wakes `run`. Notified after a hint, so that a push is pulled at once and not at the next poll. */
  readonly due: WakeUp;
  /** Called after a commit that enqueued messages. */
  readonly enqueued: () => void;
  /** Called after a pull of an account's calendar list that changed it. */
  readonly listChanged: (list: CollectionKey) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Converts a ProviderError into its public error; returns others unchanged. */
  readonly toPublicError: (error: unknown) => unknown;
  /** Called from time to time for a calendar that is read often. */
  readonly readOften: (account: ConnectedAccount, calendarId: string) => void;
  /** @default measures nothing */
  readonly telemetry?: Telemetry;
  /** @default tells nothing */
  readonly activity?: Pick<ActivityFeed, 'tell'>;
}

/** Pulls collections in one process, on demand and in the background. */
export interface Pulls extends MirrorPulls {
  /** Pulls due collections until the signal aborts, which also aborts every pull in flight. */
  run(signal: AbortSignal): Promise<void>;
  /** Aborts every pull in flight and waits for it to end: callers without a mirror get CalendarSyncing. Idempotent. */
  close(): Promise<void>;
}

/** Creates the pulls of one process. Starts nothing. */
export function createPulls(deps: PullDeps): Pulls {
  const closing = new AbortController();
  // Every provider call of every pull listens to the signal, which is not a leak.
  setMaxListeners(0, closing.signal);
  const abort = () => closing.abort(cutOff());
  const plan = createPollPlan(deps);
  const pushMisses = createPushMisses(deps);
  const runner = createPullRunner({ ...deps, plan, pushMisses });
  const reconciliations = createReconciliations({ ...deps, plan });
  const coordinator = createPullCoordinator({ ...deps, runner, plan, reconciliations }, closing.signal);
  return {
    open: coordinator.open,
    pull: coordinator.pull,
    async run(signal) {
      signal.addEventListener('abort', abort, { once: true });
      try {
        await runPullWorker({ ...deps, coordinator, plan }, signal);
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    async close() {
      abort();
      await coordinator.settled();
    },
  };
}

function cutOff(): KalendsError {
  return new KalendsError('CalendarSyncing', 'The engine was stopped during the synchronisation of this calendar.', {
    retryAfterMs: RETRY_AFTER_MS,
  });
}
