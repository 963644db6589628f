import { setMaxListeners } from 'node:events';
import type { AccountAccess, ConnectedAccount } from '../accounts/account-access.ts';
import { KalendsError } from '../errors.ts';
import type { Clock, CollectionKey, Logger, ProviderCalendar, Random, Storage } from '../ports/index.ts';
import { createDeepChecks } from './deep-check.ts';
import { createFreshness } from './freshness.ts';
import type { Mirror, MirrorSignals, MirrorSnapshot } from './mirror.ts';
import { applyCalendarWrite, applyEventWrite } from './own-writes.ts';
import { createPollPlan } from './poll-plan.ts';
import { createProviderBudget } from './provider-budget.ts';
import { createPullRunner } from './pull-runner.ts';
import { storedCalendar } from './stored-calendar.ts';
import type { SyncSettings } from './sync-settings.ts';
import { runWorker } from './worker.ts';

export interface MirrorDeps {
  readonly storage: Pick<Storage, 'mirror' | 'schedule' | 'leases' | 'channels' | 'subscriptions'>;
  readonly accounts: AccountAccess;
  readonly signals: MirrorSignals;
  readonly settings: SyncSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The public error of a ProviderError; others as they are. */
  readonly toPublicError: (error: unknown) => unknown;
  /** Called now and then for a calendar that is read often. */
  readonly readOften: (account: ConnectedAccount, calendarId: string) => void;
}

/** Builds the mirror over a storage and the accounts' providers. */
export function createMirror(deps: MirrorDeps): Mirror {
  const { storage, accounts, signals, settings, clock, logger } = deps;
  const enqueued = () => signals.enqueued();
  const budget = createProviderBudget({ leases: storage.leases, clock, logger });
  const plan = createPollPlan({ ...deps, budget });
  const runner = createPullRunner({ ...deps, plan, budget, enqueued });
  const deepChecks = createDeepChecks({ ...deps, plan, budget, enqueued });
  const closing = new AbortController();
  // Every call of every pull listens to it, which is no leak.
  setMaxListeners(0, closing.signal);
  const freshness = createFreshness({ ...deps, runner, plan, deepChecks }, closing.signal);
  const ownWrites = { ...deps, enqueued, wake: () => signals.due.notify() };

  async function open(account: ConnectedAccount, calendarId: string | null): Promise<MirrorSnapshot> {
    const key = keyOf(account, calendarId);
    return { key, ...(await freshness.open(account, key)) };
  }

  async function findInList(account: ConnectedAccount, calendarId: string): Promise<ProviderCalendar | undefined> {
    const item = await storage.mirror.findItem(keyOf(account, null), calendarId);
    return item === undefined ? undefined : storedCalendar(item);
  }

  async function findCalendar(account: ConnectedAccount, calendarId: string): Promise<ProviderCalendar | undefined> {
    const list = await storage.mirror.find(keyOf(account, null));
    if (list === undefined || list.completedAt === null) await open(account, null);
    const known = await findInList(account, calendarId);
    if (known !== undefined) return known;
    await freshness.pull(account, keyOf(account, null));
    return await findInList(account, calendarId);
  }

  return {
    openCalendars: (account) => open(account, null),
    async openEvents(account, calendarId) {
      if ((await findCalendar(account, calendarId)) === undefined) throw noCalendar();
      return await open(account, calendarId);
    },
    findCalendar,
    async pull(account, calendarId) {
      if (calendarId !== null && (await findCalendar(account, calendarId)) === undefined) throw noCalendar();
      await freshness.pull(account, keyOf(account, calendarId));
    },
    applyEvents: (key, changes, basedOn, mappingVersion, aimedAt) =>
      applyEventWrite(ownWrites, key, changes, basedOn, mappingVersion, aimedAt),
    applyCalendars: (key, change, basedOn, mappingVersion) =>
      applyCalendarWrite(ownWrites, key, change, basedOn, mappingVersion),
    async run(signal) {
      const abort = () => closing.abort(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      try {
        await runWorker({ storage, accounts, freshness, settings, clock, logger, due: signals.due }, signal);
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    async close() {
      closing.abort(new Error('The engine is stopping.'));
      await freshness.settled();
    },
  };
}

/** The error of a calendar that an account does not have. */
export function noCalendar(): KalendsError {
  return new KalendsError('NotFound', 'The account has no such calendar.');
}

function keyOf({ row }: ConnectedAccount, calendarId: string | null): CollectionKey {
  return { applicationId: row.applicationId, accountId: row.id, calendarId };
}
