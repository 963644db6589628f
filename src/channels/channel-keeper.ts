import type { AccountAccess, ConnectedAccount, ProviderRegistry } from '../accounts/index.ts';
import type { HeldLeases } from '../leases/index.ts';
import type { AccountRow, ChannelRow, Clock, CollectionKey, Logger, Random, Storage } from '../ports/index.ts';
import type { WakeUp } from '../runtime/index.ts';
import { createChannelCoverage } from './channel-coverage.ts';
import { createChannelLock } from './channel-lock.ts';
import { createChannelOpening, type PushAddress } from './channel-opening.ts';
import type { ChannelTokens } from './channel-token.ts';
import { ChannelUpkeep } from './channel-upkeep.ts';
import { runChannelWorker } from './channel-worker.ts';
import { CollectionChannels } from './collection-channels.ts';
import { ReadChannels } from './read-channels.ts';

export interface ChannelKeeperDeps {
  readonly storage: Storage;
  readonly accounts: AccountAccess;
  readonly registry: ProviderRegistry;
  readonly leases: HeldLeases;
  readonly tokens: ChannelTokens;
  readonly pushAddress: PushAddress;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Lifetime that new channels ask for. */
  readonly lifetimeMs: number;
  /** Subscribers are told of a gap when a channel was dead for longer than this. */
  readonly pollWithPushMs: number;
  /** Whether frequent reads alone open channels. */
  readonly pushForReads: boolean;
  /** Receives failures of upkeep: a throttled one starts a cool-down of the account. */
  readonly noteFailure: (key: CollectionKey, error: unknown) => Promise<void>;
  /** Called after a commit that enqueued messages. */
  readonly enqueued: () => void;
  /** Notified when upkeep has become due. */
  readonly wakeUp: WakeUp;
  /** Notified when a collection has become due. */
  readonly syncDue: WakeUp;
}

/** Keeps one live channel for each collection that has subscriptions, and for calendars that are read often. */
export interface ChannelKeeper {
  /** Joins the collection's channel or opens one; polls where the provider does not push. @throws ProviderError */
  ensure(account: ConnectedAccount, calendarId: string | null): Promise<ChannelRow>;
  /** Calls `ensure` for the account's calendar list and each calendar in it. @throws ProviderError */
  ensureAll(account: ConnectedAccount): Promise<void>;
  /** Makes upkeep cover the account's new calendars at once, where a subscription covers the whole account. */
  coverSoon(list: CollectionKey): Promise<void>;
  /** Closes the collection's channels unless an enabled subscription covers it. */
  release(account: AccountRow, calendarId: string | null): Promise<void>;
  /** Calls `release` for the account's calendar list and each calendar in it. */
  releaseAll(account: AccountRow): Promise<void>;
  /** Closes every channel of the account, subscribed or not. */
  closeAll(account: AccountRow, signal: AbortSignal): Promise<void>;
  /** Enqueues one `calendar.event.unknown` for each subscriber of the collection. */
  announceGap(key: CollectionKey): Promise<void>;
  /**
   * Requests a channel for a calendar that is read often. Returns at once; `run` opens it if the provider pushes. Without effect
   * in a process that does not run it.
   */
  requestForReads(account: ConnectedAccount, calendarId: string): void;
  /** Renews channels after three quarters of their life, and reopens dead ones and those with an old address, until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/** Creates the keeper. Starts nothing. */
export function createChannelKeeper(deps: ChannelKeeperDeps): ChannelKeeper {
  const parts = {
    ...deps,
    opening: createChannelOpening(deps),
    coverage: createChannelCoverage(deps),
    lock: createChannelLock(deps.leases, deps.clock),
  };
  const collections = new CollectionChannels(parts);
  const reads = new ReadChannels({ ...parts, collections });
  const upkeep = new ChannelUpkeep({ ...parts, collections });
  return {
    ensure: (account, calendarId) => collections.ensure(account, calendarId),
    ensureAll: (account) => collections.ensureAll(account),
    coverSoon: (list) => collections.dueNow(list),
    release: (account, calendarId) => collections.release(account, calendarId),
    releaseAll: (account) => collections.releaseAll(account),
    closeAll: (account, signal) => collections.closeAll(account, signal),
    announceGap: (key) => parts.coverage.announceGap(key, { late: false }),
    requestForReads: (account, calendarId) => reads.request(account, calendarId),
    run: (signal) => runChannelWorker({ ...deps, reads, upkeep }, signal),
  };
}
