import type {
  AccountRow,
  Acknowledgement,
  ApplicationRow,
  ChannelRow,
  CollectionKey,
  Commit,
  CommitResult,
  ItemWrite,
  SignInRow,
  Storage,
  SubscriptionRow,
  TargetRow,
  TokenRow,
} from 'kalends/ports';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';

/** Context of a running test, as vitest and node:test give it. */
export interface ConformanceContext {
  /** Reports the test as skipped; vitest's throws. */
  skip?(reason: string): unknown;
}

/**
 * The runner's `test`: that of vitest, node:test or any of the same shape. A case that its world leaves no room for calls `skip` of the
 * context, and passes where there is none.
 */
export type ConformanceTest = (name: string, run: (context?: ConformanceContext) => Promise<void>) => void;

export interface StorageConformanceOptions {
  readonly test: ConformanceTest;
  /** Creates an unopened storage over a new empty database, using this clock. */
  readonly createStorage: (clock: ManualClock) => Promise<Storage>;
  /** Creates a second process's handle on the database of a storage. Absent where a database has one handle only. */
  readonly createPeer?: (storage: Storage, clock: ManualClock) => Promise<Storage>;
}

/** World of one test: two tenants with an account each, and one calendar of the first. */
export interface StorageWorld {
  readonly clock: ManualClock;
  readonly storage: Storage;
  /** A second process's handle, or the same one where there is only one. */
  readonly peer: Storage;
  readonly key: CollectionKey;
  /** The same account and calendar under the other tenant's id. */
  readonly foreignKey: CollectionKey;
}

export const APPLICATION = 'app_1';
export const OTHER_APPLICATION = 'app_2';
export const ACCOUNT = 'acc_1';
export const OTHER_ACCOUNT = 'acc_2';
export const KEY: CollectionKey = { applicationId: APPLICATION, accountId: ACCOUNT, calendarId: 'cal_1' };

/** Declares a test that runs in a world of its own. */
export function inWorld(options: StorageConformanceOptions, name: string, run: (world: StorageWorld) => Promise<void>) {
  options.test(name, async () => {
    const clock = manualClock();
    const created = await options.createStorage(clock);
    const storage = namingStores(created);
    await storage.open();
    const other = (await options.createPeer?.(created, clock)) ?? created;
    const peer = other === created ? storage : namingStores(other);
    if (peer !== storage) await peer.open();
    try {
      await storage.applications.create(applicationRow({ id: APPLICATION }));
      await storage.applications.create(applicationRow({ id: OTHER_APPLICATION }));
      await storage.accounts.save(accountRow(), credentialRow());
      await storage.accounts.save(
        accountRow({ id: OTHER_ACCOUNT, applicationId: OTHER_APPLICATION }),
        credentialRow({ id: 'crd_2', applicationId: OTHER_APPLICATION, accountId: OTHER_ACCOUNT }),
      );
      await run({ clock, storage, peer, key: KEY, foreignKey: { ...KEY, applicationId: OTHER_APPLICATION } });
    } finally {
      if (peer !== storage) await peer.close();
      await storage.close();
    }
  });
}

const STORES: Readonly<Record<Exclude<keyof Storage, 'open' | 'close' | 'changes'>, true>> = {
  applications: true,
  providerConfigs: true,
  apiKeys: true,
  feeds: true,
  imports: true,
  usedStates: true,
  audit: true,
  accounts: true,
  mirror: true,
  reads: true,
  pulls: true,
  schedule: true,
  leases: true,
  intents: true,
  holds: true,
  channels: true,
  subscriptions: true,
  endpoints: true,
  targets: true,
  outbox: true,
  dataKeys: true,
  erasure: true,
  measurements: true,
  health: true,
  commits: true,
};

/** Returns the storage such that a case that needs a store which it lacks says so. */
function namingStores(storage: Storage): Storage {
  return new Proxy(storage, {
    get(target, name) {
      const part: unknown = Reflect.get(target, name, target);
      if (part === undefined && name in STORES) throw new Error(`the storage has no store ${String(name)}`);
      // Methods of a class may need the object itself.
      return typeof part === 'function' && !Object.hasOwn(target, name) ? part.bind(target) : part;
    },
  });
}

/** Starts the same work concurrently, alternating between both handles. */
export function race<Result>(
  { storage, peer }: StorageWorld,
  times: number,
  work: (storage: Storage, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => work(index % 2 === 0 ? storage : peer, index)));
}

export function applicationRow(patch: Partial<ApplicationRow> = {}): ApplicationRow {
  return {
    id: APPLICATION,
    name: 'Tenant',
    redirectUrls: ['https://app.test/callback'],
    createdAt: 1,
    updatedAt: 1,
    deletedAt: null,
    ...patch,
  };
}

export function accountRow(patch: Partial<AccountRow> = {}): AccountRow {
  return {
    id: ACCOUNT,
    applicationId: APPLICATION,
    providerType: 'PROVIDER_A',
    providerConfigId: 'prv_1',
    providerAccountId: 'sub-1',
    email: 'Ada@Example.com',
    externalId: null,
    authorizedScopes: ['calendar', 'openid'],
    status: 'ACTIVE',
    createdAt: 10,
    updatedAt: 10,
    ...patch,
  };
}

export function credentialRow(patch: Partial<TokenRow> = {}): TokenRow {
  return {
    id: 'crd_1',
    applicationId: APPLICATION,
    accountId: ACCOUNT,
    kind: 'oauth',
    wrappedKey: 'wrapped',
    sealedAccessToken: 'access',
    sealedRefreshToken: 'refresh',
    expiresAt: 5_000,
    status: 'ACTIVE',
    version: 1,
    createdAt: 10,
    updatedAt: 10,
    ...patch,
  };
}

/** The credentials of an account without OAuth. */
export function signInRow(patch: Partial<SignInRow> = {}): SignInRow {
  const { sealedAccessToken: _access, sealedRefreshToken: _refresh, expiresAt: _expiry, ...stored } = credentialRow();
  return { ...stored, kind: 'password', sealedCredentials: 'credentials', ...patch };
}

export function channelRow(patch: Partial<ChannelRow> = {}): ChannelRow {
  return {
    id: 'chn_1',
    applicationId: APPLICATION,
    accountId: ACCOUNT,
    calendarId: 'cal_1',
    providerType: 'PROVIDER_A',
    kind: 'push',
    providerChannelId: null,
    resourceId: null,
    tokenHash: 'hash',
    address: 'https://kalends.test/push',
    expiresAt: 9_000,
    renewAt: 5_000,
    createdAt: 10,
    ...patch,
  };
}

export function subscriptionRow(patch: Partial<SubscriptionRow> = {}): SubscriptionRow {
  return {
    id: 'whs_1',
    applicationId: APPLICATION,
    accountId: ACCOUNT,
    calendarId: 'cal_1',
    subscriptionType: 'event',
    providerType: 'PROVIDER_A',
    detail: 'change',
    format: 'plain',
    url: 'https://receiver.test/hook',
    wrappedKey: 'wrapped',
    sealedSecret: 'secret',
    previousSecret: null,
    rateLimit: null,
    disabledAt: null,
    failingSince: null,
    createdAt: 10,
    updatedAt: 10,
    ...patch,
  };
}

/** Fields that a subscription shares with every target. */
export function targetOf(row: SubscriptionRow): TargetRow {
  const {
    accountId: _account,
    calendarId: _calendar,
    subscriptionType: _kind,
    providerType: _provider,
    detail: _detail,
    format: _format,
    ...target
  } = row;
  return target;
}

/** Creates a successful attempt. */
export function attemptRow(patch: Partial<Acknowledgement['attempt']> = {}): Acknowledgement['attempt'] {
  return {
    id: 'att_1',
    eventType: 'calendar.event.changed',
    at: 100,
    status: 200,
    failure: null,
    latencyMs: 1.5,
    excerpt: 'ok',
    ...patch,
  };
}

/** Creates a write of a single event, or of an exception when a group is given; its etag follows from its content. */
export function itemWrite(itemId: string, content: unknown, patch: Partial<ItemWrite> = {}): ItemWrite {
  return {
    itemId,
    groupId: itemId,
    content,
    etag: JSON.stringify(content),
    providerTag: null,
    mappingVersion: 1,
    rangeStart: 0,
    rangeEnd: 100,
    ...patch,
  };
}

/** Commits writes on top of the present revision. */
export async function put(
  { storage, key, clock }: StorageWorld,
  writes: readonly ItemWrite[],
  patch: Partial<Commit> = {},
): Promise<CommitResult> {
  const state = await storage.mirror.ensure(key, { at: clock.now(), tag: 'tag-0', timeZone: 'UTC' });
  const basedOn = patch.basedOn ?? state.writeCount;
  return storage.mirror.commit(key, { writes, at: clock.now(), tag: `tag-${state.revision + 1}`, ...patch, basedOn });
}

/** Creates the collections in the mirror, as their first pulls do. */
export async function ensureMirrored({ mirror }: Storage, ...keys: readonly CollectionKey[]): Promise<void> {
  for (const key of keys) await mirror.ensure(key, { at: 1, tag: 'tag-0', timeZone: 'UTC' });
}

/** Ids on the re-read list, in its order. */
export async function rereadIds({ storage, key }: StorageWorld, limit = 9): Promise<readonly string[]> {
  return (await storage.mirror.listRereads(key, limit)).map(({ itemId }) => itemId);
}
