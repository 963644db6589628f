import { setMaxListeners } from 'node:events';
import type { AccountAccess, ConnectedAccount } from '../accounts/account-access.ts';
import type { ProviderRegistry } from '../accounts/provider-registry.ts';
import {
  type AccountRow,
  type ChannelRow,
  type Clock,
  type CollectionKey,
  type Logger,
  ProviderError,
  type Random,
  type Storage,
} from '../ports/index.ts';
import { createLeaseKeeper, createRests, describeError, jittered, LEASE_MS, type WakeUp } from '../runtime/index.ts';
import type { ChannelCoverage } from './channel-coverage.ts';
import type { ChannelLock } from './channel-lock.ts';
import {
  type ChannelOpening,
  collectionOf,
  halfLife,
  hashToken,
  isLiving,
  POLL_COVER_MS,
  type PushAddress,
  upkeepAt,
} from './channel-opening.ts';
import type { ChannelTokens } from './channel-token.ts';
import { retryAfterOf } from './poll-plan.ts';

const RETRY_MS = 60_000;
const EXPIRED_RETRY_MS = 900_000;
const BATCH = 20;
/** Hosts mount our routes right after the engine's start, and Graph calls them while a channel opens. */
const START_GRACE_MS = 2_000;
const LONGEST_SLEEP_MS = 60_000;
/** A calendar that cannot be watched is polled for its readers, and tried again after this. */
const REFUSED_MS = 86_400_000;

/** A claimed channel, and until when it is ours. */
interface ChannelHold {
  readonly id: string;
  renewAt: number;
}

/** Keeps every collection that has subscriptions, and calendars that are read often, covered by one living channel. */
export interface ChannelKeeper {
  /** Joins the collection's channel or opens it; polls where the provider does not push. @throws ProviderError */
  ensure(account: ConnectedAccount, calendarId: string | null): Promise<ChannelRow>;
  /** Opens a channel, in its own time, for a calendar that is read often; where the provider does not push, none. */
  wantForReads(account: ConnectedAccount, calendarId: string): void;
  /** `ensure` for the account's list and each calendar in it. @throws ProviderError */
  ensureAll(account: ConnectedAccount): Promise<void>;
  /** Closes what no enabled subscription covers any more, of one collection. */
  release(account: AccountRow, calendarId: string | null): Promise<void>;
  /** `release` for the account's list and each calendar in it. */
  releaseAll(account: AccountRow): Promise<void>;
  /** Closes every channel of the account, whatever it covers. */
  closeAll(account: AccountRow, signal: AbortSignal): Promise<void>;
  /** Renews channels at half of their life, reopens dead ones and those with an old address, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export function createChannelKeeper(dependencies: {
  readonly storage: Storage;
  readonly accounts: AccountAccess;
  readonly registry: ProviderRegistry;
  readonly opening: ChannelOpening;
  readonly lock: ChannelLock;
  readonly coverage: ChannelCoverage;
  readonly pushAddress: PushAddress;
  readonly tokens: ChannelTokens;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly lifetimeMs: number;
  /** Subscribers are told of a channel that was dead for longer than this. */
  readonly pollWithPushMs: number;
  /** Told of failed upkeep: one that was throttled begins a cool-down of the account. */
  readonly noteFailure: (key: CollectionKey, error: unknown) => Promise<void>;
  /** Notified when upkeep has become due. */
  readonly wakeUp: WakeUp;
  /** Notified when a collection has become due. */
  readonly syncDue: WakeUp;
}): ChannelKeeper {
  const { storage, accounts, registry, opening, lock, pushAddress, clock, random, logger, lifetimeMs } = dependencies;
  const { coverage, tokens, pollWithPushMs, noteFailure, wakeUp, syncDue } = dependencies;
  const holds = createLeaseKeeper(async (held: readonly ChannelHold[]) => {
    const renewAt = await storage.channels.extendHold(held, LEASE_MS);
    for (const hold of held) hold.renewAt = renewAt;
  }, dependencies);

  const keyOf = (account: AccountRow, calendarId: string | null): CollectionKey => ({
    applicationId: account.applicationId,
    accountId: account.id,
    calendarId,
  });

  const { listCalendarIds, isSubscribed, isRead, announceGap } = coverage;
  /** Calendars that are read often and may want a channel, by lock name. */
  const wanted = new Map<string, { readonly account: ConnectedAccount; readonly calendarId: string }>();
  /** Calendars that the provider need not be asked again to watch for their readers. */
  const refused = createRests(clock, REFUSED_MS);

  /** What changed between the last pull and the opening of a channel was announced to nobody: it is pulled now. */
  const announce = async (row: ChannelRow): Promise<ChannelRow> => {
    await storage.schedule.dueBy(collectionOf(row), clock.now());
    syncDue.notify();
    wakeUp.notify();
    return row;
  };

  const open = async (
    account: ConnectedAccount,
    calendarId: string | null,
    signal?: AbortSignal,
  ): Promise<ChannelRow> =>
    announce((await opening.openPush(account, calendarId, signal)) ?? (await opening.openPoll(account, calendarId)));

  /** `open`, and a poll where a foreign channel at the provider stands in the way. */
  const openOrPoll = (account: ConnectedAccount, calendarId: string | null): Promise<ChannelRow> =>
    open(account, calendarId).catch(async (error) => {
      if (!isConflict(error)) throw error;
      return announce(await opening.openPoll(account, calendarId));
    });

  const postpone = (row: ChannelRow, renewAt: number) =>
    storage.channels.update(row.applicationId, row.id, { renewAt });

  const isCoolingDown = async (key: CollectionKey) => (await storage.schedule.get(key)).notBefore > clock.now();

  const ensure: ChannelKeeper['ensure'] = (account, calendarId) => {
    const key = keyOf(account.row, calendarId);
    return lock(key, async () => {
      const living = (await storage.channels.list(key)).find((row) => isLiving(row, clock.now()));
      if (living === undefined) return openOrPoll(account, calendarId);
      // Opened for readers who have stopped since, it may not be polled any more.
      await storage.schedule.dueBy(key, clock.now());
      return living;
    });
  };

  const ensureAll: ChannelKeeper['ensureAll'] = async (account) => {
    await ensure(account, null);
    for (const calendarId of await listCalendarIds(account.row)) await ensure(account, calendarId);
  };

  /** The account for provider calls, undefined when it is EXPIRED. */
  const connected = (row: AccountRow): ConnectedAccount | undefined =>
    row.status === 'ACTIVE' ? { row, provider: registry.get(row.providerType) } : undefined;

  const release: ChannelKeeper['release'] = async (account, calendarId) => {
    const key = keyOf(account, calendarId);
    await lock(key, async () => {
      if (await isSubscribed(key)) return;
      for (const row of await storage.channels.list(key)) await opening.close(connected(account), row);
    });
  };

  /** Makes a push of a poll if that is possible by now, else lets the poll stand. */
  const upkeepPoll = async (account: ConnectedAccount, poll: ChannelRow, signal: AbortSignal): Promise<void> => {
    const push = await opening.openPush(account, poll.calendarId, signal).catch((error) => {
      if (!isConflict(error)) throw error;
      return undefined;
    });
    if (push !== undefined) {
      await opening.close(account, poll, signal);
      await announce(push);
      return;
    }
    const now = clock.now();
    const expiresAt = now + POLL_COVER_MS;
    await storage.channels.update(poll.applicationId, poll.id, {
      expiresAt,
      renewAt: upkeepAt(poll.calendarId, now, expiresAt),
    });
  };

  const watchForReads = async (account: ConnectedAccount, calendarId: string, signal: AbortSignal): Promise<void> => {
    const key = keyOf(account.row, calendarId);
    await lock(key, async () => {
      const rows = await storage.channels.list(key);
      if (rows.some((row) => isLiving(row, clock.now())) || (await isCoolingDown(key))) return;
      const row = await opening.openPush(account, calendarId, signal);
      if (row !== undefined) await announce(row);
      else refused.begin(`${account.row.id}:${calendarId}`);
    });
  };

  /** Opens what readers want. Nobody waits for it: what fails is wanted again by the next reads. */
  const watchWanted = async (signal: AbortSignal): Promise<void> => {
    for (const [name, { account, calendarId }] of wanted) {
      wanted.delete(name);
      await watchForReads(account, calendarId, signal).catch((error) => {
        if (signal.aborted) return;
        logger.warn('no channel for a calendar that is read often', {
          accountId: account.row.id,
          error: describeError(error),
        });
      });
    }
  };

  /**
   * Puts a new channel in the place of `row`: opened first, so that nothing is missed in between. `deadSince`: when the old
   * one may have ended, undefined for one that lives.
   */
  const replace = async (
    account: ConnectedAccount,
    row: ChannelRow,
    deadSince: number | undefined,
    signal: AbortSignal,
  ): Promise<void> => {
    try {
      await open(account, row.calendarId, signal);
      await opening.close(account, row, signal);
    } catch (error) {
      if (!isConflict(error)) throw error;
      await replaceClosedFirst(account, row, signal);
    }
    if (deadSince !== undefined) {
      await storage.schedule.hint(collectionOf(row));
      if (clock.now() - deadSince > pollWithPushMs) await announceGap(collectionOf(row));
      syncDue.notify();
    }
  };

  /** Graph allows one subscription for each resource: there the old one has to go first, and a poll covers meanwhile. */
  const replaceClosedFirst = async (account: ConnectedAccount, row: ChannelRow, signal: AbortSignal): Promise<void> => {
    const poll = await opening.openPoll(account, row.calendarId);
    // Should the opening fail now, this row is what brings upkeep back to it.
    await postpone(poll, clock.now() + jittered(RETRY_MS, random));
    await opening.close(account, row, signal);
    await upkeepPoll(account, poll, signal);
  };

  const renew = async (
    account: ConnectedAccount,
    row: ChannelRow & { readonly providerChannelId: string },
    signal: AbortSignal,
  ): Promise<void> => {
    const now = clock.now();
    try {
      const channel = { providerChannelId: row.providerChannelId, expiresAt: now + lifetimeMs };
      const grant = await account.provider.push.renew(accounts.session(account, signal), channel);
      if (grant === null) return await replace(account, row, undefined, signal);
      await storage.channels.update(row.applicationId, row.id, {
        ...grant,
        renewAt: upkeepAt(row.calendarId, now, grant.expiresAt),
      });
    } catch (error) {
      if (!ProviderError.isInstance(error) || error.reason !== 'not-found') throw error;
      // It may have been lost at any time since it was looked at last.
      await replace(account, row, row.createdAt, signal);
    }
  };

  /** What a claimed channel needs, decided under the collection's lock on its present state. */
  const upkeep = async (
    account: ConnectedAccount,
    channelId: string,
    key: CollectionKey,
    signal: AbortSignal,
  ): Promise<void> => {
    const rows = await storage.channels.list(key);
    const row = rows.find(({ id }) => id === channelId);
    if (row === undefined) return;
    const now = clock.now();
    // A process that died between opening the new one and closing the old one leaves two; the list is newest first.
    const isSuperseded = rows.slice(0, rows.indexOf(row)).some((newer) => isLiving(newer, now));
    // Its collection goes with a calendar that is gone for certain; subscriptions of the account cover what it has.
    const isGone = key.calendarId !== null && (await storage.mirror.find(key)) === undefined;
    const isWanted = (await isSubscribed(key)) || (row.kind === 'push' && (await isRead(key)));
    if (isSuperseded || isGone || !isWanted) return opening.close(account, row, signal);
    if (row.kind === 'poll') return upkeepPoll(account, row, signal);
    const { providerChannelId } = row;
    const hasExpired = row.expiresAt <= now;
    // A channel whose token was made under an earlier secret would end with that.
    const isCurrent = row.tokenHash === hashToken(tokens.issue(row.id));
    if (providerChannelId === null || hasExpired || !isCurrent || row.address !== pushAddress(row.providerType)) {
      return replace(account, row, hasExpired ? row.expiresAt : undefined, signal);
    }
    // Channels of lists come here more often than they need renewal.
    if (row.calendarId === null && now < halfLife(row.createdAt, row.expiresAt)) {
      await postpone(row, upkeepAt(null, now, row.expiresAt));
      return;
    }
    return renew(account, { ...row, providerChannelId }, signal);
  };

  const maintain = async (claimed: ChannelRow, signal: AbortSignal): Promise<void> => {
    const accountRow = await storage.accounts.find(claimed.applicationId, claimed.accountId);
    if (accountRow === undefined) return storage.channels.delete(claimed.applicationId, claimed.id);
    const account = connected(accountRow);
    if (account === undefined) {
      await postpone(claimed, clock.now() + jittered(EXPIRED_RETRY_MS, random));
      return;
    }
    const key = collectionOf(claimed);
    const { notBefore } = await storage.schedule.get(key);
    if (notBefore > clock.now()) {
      await postpone(claimed, notBefore);
      return;
    }
    try {
      await lock(key, () => upkeep(account, claimed.id, key, signal));
      if (claimed.calendarId === null && (await isSubscribed(key))) await ensureAll(account);
    } catch (error) {
      // It is due again when the hold ends.
      if (signal.aborted) return;
      logger.warn('channel upkeep failed', { accountId: claimed.accountId, error: describeError(error) });
      await noteFailure(key, error);
      await postpone(claimed, clock.now() + Math.max(retryAfterOf(error), jittered(RETRY_MS, random)));
    }
  };

  const pause = (ms: number, signal: AbortSignal) =>
    wakeUp.wait(ms, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });

  return {
    ensure,
    wantForReads(account, calendarId) {
      const name = `${account.row.id}:${calendarId}`;
      if (pushAddress(account.row.providerType) === undefined || refused.isResting(name)) return;
      wanted.set(name, { account, calendarId });
      wakeUp.notify();
    },
    ensureAll,
    release,
    async releaseAll(account) {
      await release(account, null);
      for (const calendarId of await listCalendarIds(account)) await release(account, calendarId);
    },
    async closeAll(account, signal) {
      for (const calendarId of [null, ...(await listCalendarIds(account))]) {
        for (const row of await storage.channels.list(keyOf(account, calendarId))) {
          await opening.close(connected(account), row, signal);
        }
      }
    },
    async run(signal) {
      // A batch of channels is cared for at once, each listening to it, which is no leak.
      setMaxListeners(0, signal);
      for (const providerType of registry.types) {
        await storage.channels.dueUnlessAddress(providerType, pushAddress(providerType) ?? '');
      }
      await pause(START_GRACE_MS, signal);
      while (!signal.aborted) {
        await watchWanted(signal);
        const claimed = await storage.channels.claimRenewals({ holdMs: LEASE_MS, limit: BATCH });
        await Promise.all(
          claimed.map((row) => holds.during({ id: row.id, renewAt: row.renewAt }, () => maintain(row, signal))),
        );
        if (claimed.length > 0) continue;
        const dueAt = await storage.channels.nextRenewalAt();
        const sleepMs = dueAt === null ? LONGEST_SLEEP_MS : Math.max(100, dueAt - clock.now());
        await pause(Math.min(LONGEST_SLEEP_MS, sleepMs), signal);
      }
    },
  };
}

const isConflict = (error: unknown) => ProviderError.isInstance(error) && error.reason === 'conflict';
