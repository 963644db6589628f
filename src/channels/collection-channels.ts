import type { ConnectedAccount, ProviderRegistry } from '../accounts/index.ts';
import {
  type AccountRow,
  type ChannelRow,
  type Clock,
  type CollectionKey,
  ProviderError,
  type Storage,
} from '../ports/index.ts';
import { inParallel, type WakeUp } from '../runtime/index.ts';
import type { ChannelCoverage } from './channel-coverage.ts';
import type { ChannelLock } from './channel-lock.ts';
import { type ChannelOpening, collectionOf, isLive } from './channel-opening.ts';

export interface CollectionChannelsDeps {
  readonly storage: Pick<Storage, 'channels' | 'schedule'>;
  readonly registry: ProviderRegistry;
  readonly opening: ChannelOpening;
  readonly coverage: ChannelCoverage;
  readonly lock: ChannelLock;
  readonly clock: Clock;
  /** Notified when upkeep has become due. */
  readonly wakeUp: WakeUp;
  /** Notified when a collection has become due. */
  readonly syncDue: WakeUp;
}

export interface EnsureOptions {
  /** False: no subscriber is new, and the polls of a live channel keep their pace. @default true */
  readonly joins?: boolean;
  readonly signal?: AbortSignal;
}

/** Opens, shares and closes the channels of collections. */
export class CollectionChannels {
  readonly #deps: CollectionChannelsDeps;

  constructor(deps: CollectionChannelsDeps) {
    this.#deps = deps;
  }

  /** See `ChannelKeeper.ensure`. */
  ensure(account: ConnectedAccount, calendarId: string | null, options: EnsureOptions = {}): Promise<ChannelRow> {
    const { storage, lock, clock } = this.#deps;
    const { joins = true, signal } = options;
    const key = collectionKeyOf(account.row, calendarId);
    return lock(key, async () => {
      const live = (await storage.channels.list(key)).find((row) => isLive(row, clock.now()));
      if (live === undefined) return this.#openOrPoll(account, calendarId, signal);
      // A channel that was opened for readers who have left may not be polled any more.
      if (joins) await this.#pullNow(key);
      else await this.#pollAtAll(key);
      return live;
    });
  }

  /** See `ChannelKeeper.ensureAll`. Without `joins` a calendar that fails is polled, and the others are covered all the same. */
  async ensureAll(account: ConnectedAccount, options: EnsureOptions = {}): Promise<void> {
    const { joins = true, signal } = options;
    const failures: unknown[] = [];
    for (const calendarId of [null, ...(await this.#deps.coverage.listCalendarIds(account.row))]) {
      try {
        await this.ensure(account, calendarId, options);
      } catch (error) {
        // A new subscription begins with all of its channels or not at all.
        if (joins || signal?.aborted || !isOfCalendar(error)) throw error;
        failures.push(error);
        await this.#pollAtAll(collectionKeyOf(account.row, calendarId));
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Makes the upkeep of a collection's channels due. */
  async dueNow(key: CollectionKey): Promise<void> {
    const { storage, clock, wakeUp } = this.#deps;
    for (const { applicationId, id } of await storage.channels.list(key)) {
      await storage.channels.update(applicationId, id, { renewAt: clock.now() });
    }
    wakeUp.notify();
  }

  /** See `ChannelKeeper.release`. */
  async release(account: AccountRow, calendarId: string | null): Promise<void> {
    const { storage, lock, coverage, opening } = this.#deps;
    const key = collectionKeyOf(account, calendarId);
    await lock(key, async () => {
      if (await coverage.isSubscribed(key)) return;
      for (const row of await storage.channels.list(key)) await opening.close(this.connected(account), row);
    });
  }

  /** See `ChannelKeeper.releaseAll`. */
  async releaseAll(account: AccountRow): Promise<void> {
    await this.release(account, null);
    for (const calendarId of await this.#deps.coverage.listCalendarIds(account)) {
      await this.release(account, calendarId);
    }
  }

  /** See `ChannelKeeper.closeAll`. */
  async closeAll(account: AccountRow, signal: AbortSignal): Promise<void> {
    const { storage, opening } = this.#deps;
    // Of calendars too that have just left the list.
    const collections = await storage.schedule.list(collectionKeyOf(account, null));
    await inParallel(collections, async ({ calendarId }) => {
      for (const row of await storage.channels.list(collectionKeyOf(account, calendarId))) {
        await opening.close(this.connected(account), row, signal);
      }
    });
  }

  /** Opens a channel, or a poll where the provider does not push. The caller holds the collection's lock. */
  async open(account: ConnectedAccount, calendarId: string | null, signal?: AbortSignal): Promise<ChannelRow> {
    const { opening } = this.#deps;
    const push = await opening.openPush(account, calendarId, signal);
    return await this.pullOpened(push ?? (await opening.openPoll(account, calendarId)));
  }

  /** Makes a newly covered collection due: changes before the channel opened caused no notification. */
  async pullOpened(row: ChannelRow): Promise<ChannelRow> {
    const { syncDue, wakeUp } = this.#deps;
    await this.#pullNow(collectionOf(row));
    syncDue.notify();
    wakeUp.notify();
    return row;
  }

  /** Returns the account for provider calls, undefined when it is EXPIRED. */
  connected(row: AccountRow): ConnectedAccount | undefined {
    return row.status === 'ACTIVE' ? { row, provider: this.#deps.registry.get(row.providerType) } : undefined;
  }

  /** Starts the polls of a collection that has none; others keep their pace. */
  async #pollAtAll(key: CollectionKey): Promise<void> {
    if ((await this.#deps.storage.schedule.get(key)).dueAt === null) await this.#pullNow(key);
  }

  async #pullNow(key: CollectionKey): Promise<void> {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    await storage.schedule.dueBy(key, now, now);
  }

  /** Opens a channel; polls when another channel on the resource blocks it at the provider, or it does not find the resource. */
  async #openOrPoll(account: ConnectedAccount, calendarId: string | null, signal?: AbortSignal): Promise<ChannelRow> {
    try {
      return await this.open(account, calendarId, signal);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      return await this.pullOpened(await this.#deps.opening.openPoll(account, calendarId));
    }
  }
}

/** Returns the key of an account's calendar, or of its calendar list. */
export function collectionKeyOf(account: AccountRow, calendarId: string | null): CollectionKey {
  return { applicationId: account.applicationId, accountId: account.id, calendarId };
}

/** Returns whether the provider allows no further channel on the resource. */
export function isConflict(error: unknown): boolean {
  return ProviderError.isInstance(error) && error.reason === 'conflict';
}

/** Returns whether the provider does not find what is to be watched: a list may have such calendars, and others for a moment. */
export function isNotFound(error: unknown): boolean {
  return ProviderError.isInstance(error) && error.reason === 'not-found';
}

/** Returns whether another calendar of the account may fare better. */
function isOfCalendar(error: unknown): boolean {
  const ofAccount = ['invalid-grant', 'operator', 'unauthorized', 'rate-limited', 'unavailable', 'timeout'];
  return ProviderError.isInstance(error) && !ofAccount.includes(error.reason);
}
