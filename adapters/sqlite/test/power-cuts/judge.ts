import { inspect, isDeepStrictEqual } from 'node:util';
import { type Caller, type Engine, KalendsError } from 'kalends';
import { systemClock } from 'kalends/runtime';
import { checkPages } from '../../src/page-check.ts';
import { CLIENT, engineOnFile, type FileEngine, PROVIDERS, type ProviderName } from './engine-on-file.ts';
import type { Promises } from './marks.ts';
import { providerAsOf } from './provider-states.ts';

export interface Evidence {
  /** The rebuilt file. */
  readonly path: string;
  readonly promises: Promises;
  readonly provider: ProviderName;
  /** Address of the provider, and its state at the cut. */
  readonly providers: string;
  readonly providerState: string;
  /** Whether the pages are checked by a process, as after each start: SQLite's own check has passed already. */
  readonly isChecked: boolean;
}

export interface Judgement {
  /** Lost or wrong facts; empty when every promise holds. */
  readonly faults: readonly string[];
  /** Sync tokens that were refused, as a client must expect. */
  readonly refusedTokens: number;
}

/** Longer than any lease and hold. */
const LEAP_MS = 11 * 60_000;
const PATIENCE_MS = 120_000;
const NEVER = new AbortController().signal;
const PAUSE_MS = 20;
const YEAR_MS = 365 * 86_400_000;
/** Reads answer from the storage as it is. */
const UNPULLED = { freshWithoutPushMs: YEAR_MS, freshWithPushMs: YEAR_MS, pushForReads: false };

interface Record_ {
  readonly id: string;
  readonly title?: string | null;
  readonly isDeleted?: boolean;
}

/** Opens a rebuilt file by the product's own storage, and checks what it has, and what it becomes beside the provider. */
export async function judge(evidence: Evidence): Promise<Judgement> {
  try {
    const stored = await judgeStored(evidence);
    // The provider must not heal a loss in the file.
    if (stored.faults.length > 0) return stored;
    const restarted = await judgeRestarted(evidence);
    return { faults: restarted.faults, refusedTokens: stored.refusedTokens + restarted.refusedTokens };
  } catch (error) {
    return { faults: [`What was acknowledged cannot be used: ${inspect(error)}`], refusedTokens: 0 };
  }
}

async function judgeStored({ path, promises, providers, isChecked }: Evidence): Promise<Judgement> {
  const unreachable = async () => {
    throw new TypeError('fetch failed: the provider is away');
  };
  const opened = engineOnFile({ path, providers, fetch: unreachable, sync: UNPULLED, onMessage: () => undefined });
  const { engine, storage } = opened;
  const faults: string[] = [];
  const refusedTokens = 0;
  try {
    await engine.start({ background: false });
    faults.push(...(await judgeFile(opened, isChecked ? path : undefined)));
    const { applicationId, calendar } = promises;
    const applications = (await engine.applications.list({})).data.map(({ id }) => id);
    if (applicationId !== undefined && !applications.includes(applicationId)) faults.push('The application is lost');
    const [found] = applications;
    if (faults.length > 0 || found === undefined) return { faults, refusedTokens };
    const caller = { applicationId: found };
    const accounts = (await engine.accounts.list(caller, {})).data.map(({ id }) => id);
    faults.push(...compare('account', promises.accounts, (id) => (accounts.includes(id) ? 'there' : null)));
    if (calendar === undefined || faults.length > 0) return { faults, refusedTokens };
    const { records } = await list(engine, caller, calendar);
    faults.push(...judgeEvents(promises, records));
    const { data: subscriptions } = await engine.subscriptions.list(caller, calendar.accountId, {});
    const isThere = (id: string) => (subscriptions.some((each) => each.id === id) ? 'there' : null);
    faults.push(...compare('subscription', promises.subscriptions, isThere));
    faults.push(...(await judgeHolds(engine, caller, promises)));
    const tokens = await judgeTokens(engine, caller, promises, records);
    return { faults: [...faults, ...tokens.faults], refusedTokens: tokens.refusedTokens };
  } finally {
    await engine.stop();
    await storage.close();
  }
}

async function judgeFile({ storage }: FileEngine, path?: string): Promise<readonly string[]> {
  const { isMigrated, fault } = await storage.health.inspect();
  // The check of `diagnose`, without its time limit: this machine may be busy.
  const damage = path === undefined ? [] : await checkPages(path, NEVER);
  return [...(isMigrated ? [] : ['The schema is not current']), ...(fault === null ? [] : [fault]), ...damage];
}

/** Each value is the one that was acknowledged, or that of the work under way. */
function compare<Value>(
  kind: string,
  kept: ReadonlyMap<string, { readonly told: Value; readonly underWay?: Value }>,
  found: (id: string) => Value,
): readonly string[] {
  return [...kept].flatMap(([id, { told, underWay = told }]) => {
    const value = found(id);
    const isKept = value === told || value === underWay;
    return isKept ? [] : [`The ${kind} ${id} was acknowledged as ${told} and is ${value}`];
  });
}

function judgeEvents({ events, titlesUnderWay, titlesTold }: Promises, records: readonly Record_[]): readonly string[] {
  const titles = new Map(records.map(({ id, title }) => [id, title ?? '']));
  const lost = titlesTold.filter((told) => ![...titles.values()].includes(told));
  const strange = [...titles].filter(([id, title]) => !events.has(id) && !titlesUnderWay.includes(title));
  const twice = [...titles.values()].filter((title, index, all) => all.indexOf(title) !== index);
  return [
    ...compare('event', events, (id) => titles.get(id) ?? null),
    ...lost.map((title) => `The event ${title} was acknowledged and is lost`),
    ...strange.map(([id, title]) => `The event ${id}, ${title}, was asked for by no one`),
    ...twice.map((title) => `There are two events ${title}`),
  ];
}

async function judgeHolds(engine: Engine, caller: Caller, { holds }: Promises): Promise<readonly string[]> {
  const found = new Map<string, 'held' | 'booked' | null>();
  for (const [id, { told, underWay }] of holds) {
    const status = await engine.holds.get(caller, id).then((hold) => hold.status, nullIfNotFound);
    // A confirmation under way still has its hold.
    if (status === 'confirming') found.set(id, underWay === 'booked' ? told : null);
    else found.set(id, status === 'expired' ? null : status);
  }
  return compare('hold', holds, (id) => found.get(id) ?? null);
}

function nullIfNotFound(error: unknown): null {
  if (KalendsError.isInstance(error) && error.code === 'NotFound') return null;
  throw error;
}

/** Checks that the titles held at a token, with the changes since it, are the list. */
async function judgeTokens(
  engine: Engine,
  caller: Caller,
  { syncs, calendar }: Promises,
  records: readonly Record_[],
): Promise<Judgement> {
  const faults: string[] = [];
  let refusedTokens = 0;
  const now = new Map(records.map(({ id, title }) => [id, title ?? '']));
  for (const { token, titles } of syncs) {
    try {
      const held = new Map(titles);
      for (const record of (await list(engine, caller, calendar!, token)).records) {
        if (record.isDeleted) held.delete(record.id);
        else held.set(record.id, record.title ?? '');
      }
      if (!isDeepStrictEqual(held, now)) faults.push(`A sync token told of ${titles.length} events leads elsewhere`);
    } catch (error) {
      if (!KalendsError.isInstance(error) || error.code !== 'SyncTokenExpired') throw error;
      refusedTokens += 1;
    }
  }
  return { faults, refusedTokens };
}

/** Starts a process anew, which completes work under way and shows the provider's events. */
async function judgeRestarted({ path, promises, provider, providers, providerState }: Evidence): Promise<Judgement> {
  const { applicationId, calendar, announced } = promises;
  if (applicationId === undefined || calendar === undefined) return { faults: [], refusedTokens: 0 };
  const { sandbox, fetch } = providerAsOf(providerState);
  const clock = { now: () => systemClock.now() + LEAP_MS, sleep: systemClock.sleep };
  const heard = new Set(announced);
  const { engine } = engineOnFile({
    path,
    providers,
    fetch,
    clock,
    onMessage(message) {
      if (message.eventType === 'event.created') heard.add(message.data.eventId);
    },
  });
  const refreshToken = sandbox[provider].issueRefreshToken({
    email: PROVIDERS[provider].email,
    clientId: CLIENT.clientId,
  });
  const newcomer = engineOnFile({ path: ':memory:', providers, fetch }).engine;
  const caller = { applicationId };
  try {
    await newcomer.start({ background: false });
    const other = await connect(newcomer, provider, refreshToken);
    await engine.start();
    for (const until = systemClock.now() + PATIENCE_MS; ; ) {
      const { records } = await list(engine, caller, calendar);
      const truth = (await list(newcomer, { applicationId: other.applicationId }, { ...other, id: calendar.id }))
        .records;
      const faults = [...judgeEvents(promises, records)];
      if (!isDeepStrictEqual(content(records), content(truth))) faults.push('The list is not what the provider has');
      const silent = records.filter(({ id }) => promises.events.has(id) && !heard.has(id));
      faults.push(...silent.map(({ id, title }) => `No message has told of the event ${id}, ${title}`));
      if (faults.length === 0) {
        // A booking whose event is gone is looked for at the provider.
        for (const { told, token } of promises.holds.values()) {
          if (told === 'booked' && token !== undefined) await engine.bookings.get(caller, token);
        }
        return await judgeTokens(engine, caller, promises, records);
      }
      if (systemClock.now() > until) return { faults: faults.map((each) => `Restarted: ${each}`), refusedTokens: 0 };
      await systemClock.sleep(PAUSE_MS);
    }
  } finally {
    await engine.stop();
    await newcomer.stop();
    await sandbox.close();
  }
}

async function connect(engine: Engine, provider: ProviderName, refreshToken: string) {
  const { providerType, email } = PROVIDERS[provider];
  const { id: applicationId } = await engine.applications.create({ name: 'Newcomer', redirectUrls: [] });
  await engine.oauthClients.set(applicationId, providerType, CLIENT);
  const { account } = await engine.accounts.upsert({ applicationId }, { email, providerType, refreshToken });
  await engine.calendars.list({ applicationId }, account.id, {});
  return { applicationId, accountId: account.id };
}

/** All pages of a list, or of the changes since a token. */
async function list(
  engine: Engine,
  caller: Caller,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  syncToken?: string,
): Promise<{ readonly records: readonly Record_[] }> {
  const records: Record_[] = [];
  let query: Readonly<Record<string, string>> = syncToken === undefined ? { limit: '1000' } : { syncToken };
  for (;;) {
    const page = await engine.events.list(caller, accountId, id, query);
    records.push(...(page.data as readonly Record_[]));
    if (page.nextPageToken === undefined) return { records };
    query = { pageToken: page.nextPageToken };
  }
}

/** An invisible change makes no version, so `updatedAt` may lag behind the provider's. */
const content = (records: readonly Record_[]) =>
  (JSON.parse(JSON.stringify(records)) as Record_[])
    .map((record) => ({ ...record, updatedAt: undefined }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
