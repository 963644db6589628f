import type { AccountAccess, ConnectedAccount } from '../accounts/index.ts';
import type { ChannelRow, Clock, CollectionKey, Logger, Random, Storage } from '../ports/index.ts';
import { retryAfterOf } from '../pull/index.ts';
import { type CoolDowns, createCoolDowns, describeError, jittered, type WakeUp } from '../runtime/index.ts';
import type { ChannelCoverage } from './channel-coverage.ts';
import type { ChannelLock } from './channel-lock.ts';
import {
  type ChannelOpening,
  collectionOf,
  hashToken,
  isLive,
  needsRenewal,
  POLL_COVER_MS,
  type PushAddress,
  upkeepAt,
} from './channel-opening.ts';
import type { ChannelTokens } from './channel-token.ts';
import { type CollectionChannels, isConflict, isNotFound } from './collection-channels.ts';

const RETRY_MS = 60_000;
/** Retry of a first failure. A connection that broke is whole again by then, and until a channel is open pushes are missed. */
const FIRST_RETRY_MS = 5_000;
const EXPIRED_RETRY_MS = 900_000;

export interface ChannelUpkeepDeps {
  readonly storage: Pick<Storage, 'accounts' | 'channels' | 'mirror' | 'pulls' | 'schedule'>;
  readonly accounts: AccountAccess;
  readonly opening: ChannelOpening;
  readonly collections: CollectionChannels;
  readonly coverage: ChannelCoverage;
  readonly lock: ChannelLock;
  readonly tokens: ChannelTokens;
  readonly pushAddress: PushAddress;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly lifetimeMs: number;
  readonly pollWithPushMs: number;
  readonly noteFailure: (key: CollectionKey, error: unknown) => Promise<void>;
  /** Notified when a collection has become due. */
  readonly syncDue: WakeUp;
}

/** Renews, replaces or closes channels whose upkeep is due. */
export class ChannelUpkeep {
  readonly #deps: ChannelUpkeepDeps;
  /** Channels whose last upkeep by this process failed. */
  readonly #failed = new Set<string>();
  /** Polls of calendar lists, which have upkeep more often than push is to be tried. */
  readonly #refusedLists: CoolDowns;

  constructor(deps: ChannelUpkeepDeps) {
    this.#deps = deps;
    this.#refusedLists = createCoolDowns(deps.clock, POLL_COVER_MS);
  }

  /** Does the upkeep of a claimed channel. A failure is logged and retried later. */
  async maintain(claimed: ChannelRow, signal: AbortSignal): Promise<void> {
    const { storage, collections, coverage, lock, clock, random, logger, noteFailure } = this.#deps;
    const row = await storage.accounts.find(claimed.applicationId, claimed.accountId);
    if (row === undefined) return storage.channels.delete(claimed.applicationId, claimed.id);
    const key = collectionOf(claimed);
    const { coolDownMs, schedule } = await storage.pulls.read(key);
    // Both by the storage's clock, which makes channels due: by a clock behind it they would be claimed again at once.
    if (coolDownMs > 0) return this.#postpone(claimed, schedule.notBefore);
    const isRepeated = this.#failed.delete(claimed.id);
    try {
      const account = collections.connected(row);
      if (account === undefined) return await this.#postpone(claimed, clock.now() + jittered(EXPIRED_RETRY_MS, random));
      await lock(key, () => this.#maintainLocked(account, claimed.id, key, signal));
      if (key.calendarId === null && (await coverage.isSubscribed(key)))
        await collections.ensureAll(account, { joins: false, signal });
    } catch (error) {
      // The channel is due again when its hold ends.
      if (signal.aborted) return;
      logger.warn('channel upkeep failed', { accountId: claimed.accountId, error: describeError(error) });
      await noteFailure(key, error);
      this.#failed.add(claimed.id);
      const retryMs = jittered(isRepeated ? RETRY_MS : FIRST_RETRY_MS, random);
      await this.#postpone(claimed, clock.now() + Math.max(retryAfterOf(error), retryMs));
    }
  }

  /** Decides on the present state: before the lock was taken, another process may have changed it. */
  async #maintainLocked(
    account: ConnectedAccount,
    channelId: string,
    key: CollectionKey,
    signal: AbortSignal,
  ): Promise<void> {
    const { storage, opening, coverage, clock } = this.#deps;
    const rows = await storage.channels.list(key);
    const row = rows.find(({ id }) => id === channelId);
    if (row === undefined) return;
    // A process that died after opening the new channel left the old one open too. The list is newest first.
    const isSuperseded = rows.slice(0, rows.indexOf(row)).some((newer) => isLive(newer, clock.now()));
    // A deleted calendar has no collection any more, while a subscription of the account still covers its id.
    const isGone = key.calendarId !== null && (await storage.mirror.find(key)) === undefined;
    const isWanted = (await coverage.isSubscribed(key)) || (row.kind === 'push' && (await coverage.isRead(key)));
    if (isSuperseded || isGone || !isWanted) await opening.close(account, row, signal);
    else if (row.kind === 'poll') await this.#maintainPoll(account, row, signal);
    else await this.#maintainPush(account, row, signal);
  }

  /** Replaces the poll by a push channel if the provider pushes by now, else extends the poll. */
  async #maintainPoll(account: ConnectedAccount, poll: ChannelRow, signal: AbortSignal): Promise<void> {
    const { storage, opening, collections, clock } = this.#deps;
    if (!this.#refusedLists.isActive(poll.id)) {
      const push = await opening.openPush(account, poll.calendarId, signal).catch((error) => {
        if (!isConflict(error) && !isNotFound(error)) throw error;
        return undefined;
      });
      if (push !== undefined) {
        await opening.close(account, poll, signal);
        await collections.pullOpened(push);
        return;
      }
      if (poll.calendarId === null) this.#refusedLists.begin(poll.id);
    }
    const now = clock.now();
    const expiresAt = now + POLL_COVER_MS;
    await storage.channels.update(poll.applicationId, poll.id, {
      expiresAt,
      renewAt: upkeepAt(poll.calendarId, now, expiresAt),
    });
  }

  async #maintainPush(account: ConnectedAccount, row: ChannelRow, signal: AbortSignal): Promise<void> {
    const { tokens, pushAddress, clock, lifetimeMs } = this.#deps;
    const { providerChannelId } = row;
    const now = clock.now();
    const hasExpired = row.expiresAt <= now;
    // A token made under an earlier secret becomes invalid when that secret is removed.
    const isCurrent = row.tokenHash === hashToken(tokens.issue(row.id));
    if (providerChannelId === null || hasExpired || !isCurrent || row.address !== pushAddress(row.providerType)) {
      return this.#replace(account, row, hasExpired ? row.expiresAt : undefined, signal);
    }
    // A calendar list's channel has upkeep more often than it needs renewal.
    if (row.calendarId === null && !needsRenewal(row, now, lifetimeMs)) {
      return this.#postpone(row, upkeepAt(null, now, row.expiresAt));
    }
    return this.#renew(account, row, providerChannelId, signal);
  }

  async #renew(
    account: ConnectedAccount,
    row: ChannelRow,
    providerChannelId: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { storage, accounts, clock, lifetimeMs } = this.#deps;
    const now = clock.now();
    const channel = { providerChannelId, expiresAt: now + lifetimeMs };
    const session = accounts.session(account, signal, 'prompt');
    const grant = await account.provider.push.renew(session, channel).catch((error) => {
      if (!isNotFound(error)) throw error;
      return 'lost' as const;
    });
    // The provider does not say when it lost the channel: assume the earliest time.
    if (grant === 'lost') return await this.#replace(account, row, row.createdAt, signal);
    if (grant === null) return await this.#replace(account, row, undefined, signal);
    await storage.channels.update(row.applicationId, row.id, {
      ...grant,
      renewAt: upkeepAt(row.calendarId, now, grant.expiresAt),
    });
  }

  /**
   * Replaces a channel. The new one is opened first, so that no change is missed in between.
   * @param deadSince the earliest time at which the old channel may have ended, undefined for a live one
   */
  async #replace(
    account: ConnectedAccount,
    row: ChannelRow,
    deadSince: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { storage, opening, collections, coverage, clock, pollWithPushMs, syncDue } = this.#deps;
    try {
      await collections.open(account, row.calendarId, signal);
      await opening.close(account, row, signal);
    } catch (error) {
      if (isConflict(error)) await this.#replaceClosedFirst(account, row, signal);
      // A living channel is not given up for one answer.
      else if (isNotFound(error) && row.expiresAt <= clock.now()) await this.#pollInstead(account, row, signal);
      else throw error;
    }
    if (deadSince === undefined) return;
    await storage.schedule.hint(collectionOf(row));
    if (clock.now() - deadSince > pollWithPushMs) await coverage.announceGap(collectionOf(row), { late: true });
    syncDue.notify();
  }

  async #pollInstead(account: ConnectedAccount, row: ChannelRow, signal: AbortSignal): Promise<void> {
    const { opening, collections } = this.#deps;
    await collections.pullOpened(await opening.openPoll(account, row.calendarId));
    await opening.close(account, row, signal);
  }

  /** Closes the old channel first, with a poll in between: Graph allows one subscription for each resource. */
  async #replaceClosedFirst(account: ConnectedAccount, row: ChannelRow, signal: AbortSignal): Promise<void> {
    const { opening, clock, random } = this.#deps;
    const poll = await opening.openPoll(account, row.calendarId);
    // If the opening below fails, this row brings upkeep back to it.
    await this.#postpone(poll, clock.now() + jittered(RETRY_MS, random));
    await opening.close(account, row, signal);
    await this.#maintainPoll(account, poll, signal);
  }

  async #postpone(row: ChannelRow, renewAt: number): Promise<void> {
    await this.#deps.storage.channels.update(row.applicationId, row.id, { renewAt });
  }
}
