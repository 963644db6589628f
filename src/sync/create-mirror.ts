import { setMaxListeners } from 'node:events';
import type { AccountAccess, ConnectedAccount } from '../accounts/account-access.ts';
import { KalendsError } from '../errors.ts';
import type {
  CalendarStart,
  Clock,
  CollectionKey,
  Logger,
  ProviderCalendar,
  Random,
  Storage,
  Telemetry,
} from '../ports/index.ts';
import { createHeldLeases } from '../runtime/index.ts';
import { createDeepChecks } from './deep-check.ts';
import { createFreshness } from './freshness.ts';
import type { Mirror, MirrorSignals, MirrorSnapshot } from './mirror.ts';
import { applyCalendarWrite, applyEventWrite } from './own-writes.ts';
import { createPollPlan } from './poll-plan.ts';
import type { ProviderBudget } from './provider-budget.ts';
import { createPullRunner } from './pull-runner.ts';
import { storedCalendar } from './stored-calendar.ts';
import type { SyncSettings } from './sync-settings.ts';
import { runWorker } from './worker.ts';

export interface MirrorDeps {
  readonly storage: Pick<Storage, 'mirror' | 'reads' | 'schedule' | 'leases' | 'channels' | 'subscriptions'>;
  readonly accounts: AccountAccess;
  readonly signals: MirrorSignals;
  readonly settings: SyncSettings;
  readonly budget: ProviderBudget;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The public error of a ProviderError; others as they are. */
  readonly toPublicError: (error: unknown) => unknown;
  /** Called now and then for a calendar that is read often. */
  readonly readOften: (account: ConnectedAccount, calendarId: string) => void;
  /** @default measures nothing */
  readonly telemetry?: Telemetry;
}

/** Builds the mirror over a storage and the accounts' providers. */
export function createMirror(deps: MirrorDeps): Mirror {
  const { storage, accounts, signals, settings, budget, clock, logger } = deps;
  const enqueued = () => signals.enqueued();
  const leases = createHeldLeases(storage.leases, { clock, logger });
  const plan = createPollPlan({ ...deps, budget });
  const runner = createPullRunner({ ...deps, leases, plan, budget, enqueued });
  const deepChecks = createDeepChecks({ ...deps, leases, plan, budget, enqueued });
  const closing = new AbortController();
  // Every call of every pull listens to it, which is no leak.
  setMaxListeners(0, closing.signal);
  const freshness = createFreshness({ ...deps, runner, plan, deepChecks }, closing.signal);
  const ownWrites = { ...deps, enqueued, wake: () => signals.due.notify() };

  async function open(
    account: ConnectedAccount,
    calendarId: string | null,
    known?: CalendarStart,
  ): Promise<MirrorSnapshot> {
    const key = keyOf(account, calendarId);
    return { key, ...(await freshness.open(account, key, known)) };
  }

  async function openEvents(account: ConnectedAccount, calendarId: string): Promise<MirrorSnapshot> {
    if ((await findCalendar(account, calendarId)) === undefined) throw noCalendar();
    return await open(account, calendarId);
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
    openEvents,
    async startReading(applicationId, accountId, calendarIds) {
      const start = await storage.reads.start(applicationId, accountId, calendarIds);
      const account = await accounts.get(applicationId, accountId, start?.account);
      const known = new Map(start?.calendars.map((calendar) => [calendar.calendarId, calendar]));
      return {
        account,
        async open(calendarId) {
          const calendar = known.get(calendarId);
          return calendar?.isListed === true
            ? await open(account, calendarId, calendar)
            : await openEvents(account, calendarId);
        },
      };
    },
    findCalendar,
    async pull(account, calendarId) {
      if (calendarId !== null && (await findCalendar(account, calendarId)) === undefined) throw noCalendar();
      await freshness.pull(account, keyOf(account, calendarId));
    },
    applyEvents: (key, changes, basedOn, mappingVersion, options) =>
      applyEventWrite(ownWrites, key, changes, basedOn, mappingVersion, options),
    applyCalendars: (key, change, basedOn, mappingVersion, intent) =>
      applyCalendarWrite(ownWrites, key, change, basedOn, mappingVersion, intent),
    async lookAgain(key, itemIds) {
      await storage.mirror.addRereads(key, itemIds);
      await storage.schedule.hint(key);
      signals.due.notify();
    },
    async run(signal) {
      const abort = () => closing.abort(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      try {
        await runWorker({ storage, leases, accounts, freshness, settings, clock, logger, due: signals.due }, signal);
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
