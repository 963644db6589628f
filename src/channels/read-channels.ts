import type { ConnectedAccount } from '../accounts/index.ts';
import type { Clock, Logger, Storage } from '../ports/index.ts';
import { createCoolDowns, describeError, type WakeUp } from '../runtime/index.ts';
import type { ChannelLock } from './channel-lock.ts';
import { type ChannelOpening, isLive, type PushAddress } from './channel-opening.ts';
import { type CollectionChannels, collectionKeyOf } from './collection-channels.ts';

/** Wait before the provider is asked again for a calendar that it does not push for. */
const REFUSED_MS = 86_400_000;

export interface ReadChannelsDeps {
  readonly storage: Pick<Storage, 'channels' | 'schedule'>;
  readonly opening: ChannelOpening;
  readonly collections: CollectionChannels;
  readonly lock: ChannelLock;
  readonly pushAddress: PushAddress;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Notified when a channel is requested. */
  readonly wakeUp: WakeUp;
}

/** Opens channels for calendars that are read often, outside the reads themselves. */
export class ReadChannels {
  readonly #deps: ReadChannelsDeps;
  readonly #requested = new Map<string, { readonly account: ConnectedAccount; readonly calendarId: string }>();
  readonly #refused;
  /** Whether this process opens channels at all: requests that nothing opens would pile up. */
  #isOpening = false;

  constructor(deps: ReadChannelsDeps) {
    this.#deps = deps;
    this.#refused = createCoolDowns(deps.clock, REFUSED_MS);
  }

  /** See `ChannelKeeper.requestForReads`. */
  request(account: ConnectedAccount, calendarId: string): void {
    const { pushAddress, wakeUp } = this.#deps;
    const name = nameOf(account, calendarId);
    if (!this.#isOpening) return;
    if (pushAddress(account.row.providerType) === undefined || this.#refused.isActive(name)) return;
    this.#requested.set(name, { account, calendarId });
    wakeUp.notify();
  }

  /** Opens the requested channels. A failure is only logged: later reads request the channel again. */
  async openRequested(signal: AbortSignal): Promise<void> {
    this.#isOpening = true;
    for (const [name, { account, calendarId }] of this.#requested) {
      this.#requested.delete(name);
      await this.#open(account, calendarId, signal).catch((error) => {
        if (signal.aborted) return;
        this.#deps.logger.warn('channel for a frequently read calendar not opened', {
          accountId: account.row.id,
          error: describeError(error),
        });
      });
    }
  }

  async #open(account: ConnectedAccount, calendarId: string, signal: AbortSignal): Promise<void> {
    const { storage, opening, collections, lock, clock } = this.#deps;
    const key = collectionKeyOf(account.row, calendarId);
    await lock(key, async () => {
      const rows = await storage.channels.list(key);
      if (rows.some((row) => isLive(row, clock.now()))) return;
      if ((await storage.schedule.get(key)).notBefore > clock.now()) return;
      const row = await opening.openPush(account, calendarId, signal);
      if (row !== undefined) await collections.pullOpened(row);
      else this.#refused.begin(nameOf(account, calendarId));
    });
  }
}

function nameOf({ row }: ConnectedAccount, calendarId: string): string {
  return `${row.id}:${calendarId}`;
}
