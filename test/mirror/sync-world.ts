import { type ManualClock, seededRandom } from '@kalends/conformance';
import type { AccountRow, Clock, CredentialRow, Logger, Storage } from 'kalends/ports';
import { createTokenSealer, createWakeUp, parseSecrets } from 'kalends/runtime';
import type { AccountAccess, ConnectedAccount } from '../../src/accounts/account-access.ts';
import { expiredAccount, toPublicError } from '../../src/accounts/provider-failure.ts';
import { createCalendarCreation } from '../../src/calendars/calendar-creation.ts';
import { createCalendarService } from '../../src/calendars/calendar-service.ts';
import type { Caller } from '../../src/engine-interface.ts';
import { KalendsError } from '../../src/errors.ts';
import { createEventService } from '../../src/events/event-service.ts';
import { createFreeBusyService } from '../../src/events/read/free-busy-service.ts';
import { createSeriesEditResumption } from '../../src/events/series-edit/resume-series-edit.ts';
import { createEventIntents } from '../../src/events/write/event-intents.ts';
import { createIntentKeeper, type IntentKeeper, type SettleIntent } from '../../src/intents/intent-keeper.ts';
import { createHeldLeases } from '../../src/leases/held-leases.ts';
import { createProviderBudget } from '../../src/leases/provider-budget.ts';
import { createMirror } from '../../src/mirror/create-mirror.ts';
import type { EngineOptions } from '../../src/options.ts';
import { createPulls } from '../../src/pull/create-pulls.ts';
import { resolveSyncSettings } from '../../src/pull/sync-settings.ts';
import { openInMemory, openPatiently } from '../storages/opened-storage.ts';
import { type FakeProvider, fakeCalendar, fakeProvider } from './fake-provider.ts';

export const CALLER: Caller = { applicationId: 'app_1' };
export const ACCOUNT = 'acc_1';
export const CALENDAR = 'cal_1';
export const KEY = { applicationId: CALLER.applicationId, accountId: ACCOUNT, calendarId: CALENDAR };

export interface SyncWorld extends Services {
  readonly clock: ManualClock;
  readonly storage: Storage;
  readonly fake: FakeProvider;
  readonly account: ConnectedAccount;
  /** Another process on the same storage. @param clock its own, as far as it differs from the storage's */
  peer(clock?: Clock): Services;
  setStatus(status: AccountRow['status']): void;
  close(): Promise<void>;
}

export type Services = ReturnType<typeof services>;

/**
 * An account with one calendar at a provider in memory, mirrored into SQLite in memory, or into a database (a path or an
 * address) that may have it already: then time waits for its statements.
 */
export async function syncWorld(
  sync: EngineOptions['sync'] = {},
  firstSeed = 1,
  database?: string,
): Promise<SyncWorld> {
  const { clock, storage } = database === undefined ? await openInMemory() : await openPatiently(database);
  const isNew = (await storage.applications.find('app_1')) === undefined;
  if (isNew) await createAccount(storage, clock);
  const fake = fakeProvider();
  fake.putCalendar(fakeCalendar(CALENDAR, { isPrimary: true }));
  let row = accountRow(clock);
  const account: ConnectedAccount = { row, provider: fake.provider };
  const accounts: AccountAccess = {
    async get(applicationId, accountId) {
      if (applicationId !== row.applicationId || accountId !== row.id) throw new KalendsError('NotFound', 'no account');
      if (row.status === 'EXPIRED') throw expiredAccount();
      return account;
    },
    session: (_account, signal) => ({
      accountId: ACCOUNT,
      email: row.email,
      accessToken: async () => 'token',
      ...(signal === undefined ? {} : { signal }),
    }),
  };
  let seed = firstSeed;
  const own = services(storage, accounts, clock, sync, seed);
  return {
    ...own,
    clock,
    storage,
    fake,
    account,
    peer: (own = clock) => services(storage, accounts, own, sync, ++seed),
    setStatus: (status) => {
      row = { ...row, status };
    },
    async close() {
      await own.pulls.close();
      await storage.close();
    },
  };
}

function services(storage: Storage, accounts: AccountAccess, clock: Clock, sync: EngineOptions['sync'], seed: number) {
  const random = seededRandom(seed);
  const secrets = parseSecrets('ab'.repeat(32));
  const settings = resolveSyncSettings(sync);
  const due = createWakeUp(clock);
  const readOften: string[] = [];
  const warnings: string[] = [];
  let enqueued = 0;
  const budget = createProviderBudget({ storage, clock, logger: SILENT, budgets: {} });
  const pulls = createPulls({
    storage,
    leases: createHeldLeases(storage.leases, { clock, logger: SILENT }),
    accounts,
    settings,
    budget,
    due,
    enqueued: () => void enqueued++,
    clock,
    random,
    logger: { ...SILENT, warn: (message) => void warnings.push(message) },
    listChanged: async () => undefined,
    toPublicError,
    readOften: (_account, calendarId) => void readOften.push(calendarId),
  });
  const mirror = createMirror({
    storage,
    accounts,
    pulls,
    clock,
    random,
    logger: SILENT,
    enqueued: () => void enqueued++,
    wake: () => due.notify(),
  });
  const keeper: IntentKeeper = createIntentKeeper({
    intents: storage.intents,
    clock,
    random,
    logger: SILENT,
    wakeUp: createWakeUp(clock),
    reconsider: ({ key, groupIds }) => mirror.requestReread(key, groupIds),
    noteFailure: budget.noteFailure,
  });
  const creation = createCalendarCreation({
    storage,
    keeper,
    accounts,
    mirror,
    listChanged: async () => undefined,
  });
  const resumeSeriesEdit = createSeriesEditResumption({ logger: SILENT });
  const store = storage.mirror;
  const intents = createEventIntents({ intents: storage.intents, keeper, accounts, mirror, store, resumeSeriesEdit });
  const sealer = (purpose: string) => createTokenSealer(secrets, random, purpose);
  const base = {
    storage,
    accounts,
    mirror,
    clock,
    random,
    logger: SILENT,
    keeper,
    intents,
    creation,
    toPublicError,
    syncTokenLifetimeMs: settings.syncTokenLifetimeMs,
  };
  const settle: SettleIntent = (held) =>
    held.intent.key.calendarId === null ? creation.settle(held) : intents.settle(held);
  return {
    mirror,
    pulls,
    settleIntents: (signal: AbortSignal) => keeper.run(signal, settle),
    due,
    enqueued: () => enqueued,
    /** Calendars that were found to be read often. */
    readOften,
    /** Warnings of its pulls, in order. */
    warnings,
    calendars: createCalendarService({
      ...base,
      syncTokens: sealer('sync:calendars'),
      pageTokens: sealer('page:calendars'),
    }),
    keeper,
    events: createEventService({ ...base, syncTokens: sealer('sync:events'), pageTokens: sealer('page:events') }),
    freeBusy: createFreeBusyService(base),
  };
}

async function createAccount(storage: Storage, clock: Clock): Promise<void> {
  await storage.applications.create({
    id: 'app_1',
    name: 'Test',
    redirectUrls: [],
    createdAt: clock.now(),
    updatedAt: clock.now(),
    deletedAt: null,
  });
  await storage.accounts.save(accountRow(clock), credentialRow(clock));
}

const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

function accountRow(clock: Clock): AccountRow {
  return {
    id: ACCOUNT,
    applicationId: 'app_1',
    providerType: 'FAKE',
    providerConfigId: 'prv_1',
    providerAccountId: null,
    email: 'ann@example.com',
    externalId: null,
    authorizedScopes: [],
    status: 'ACTIVE',
    createdAt: clock.now(),
    updatedAt: clock.now(),
  };
}

function credentialRow(clock: Clock): CredentialRow {
  return {
    id: 'crd_1',
    applicationId: 'app_1',
    accountId: ACCOUNT,
    kind: 'oauth',
    wrappedKey: 'k',
    sealedAccessToken: 'a',
    sealedRefreshToken: 'r',
    expiresAt: clock.now() + 3_600_000,
    status: 'ACTIVE',
    version: 1,
    createdAt: clock.now(),
    updatedAt: clock.now(),
  };
}
