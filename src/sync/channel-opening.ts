import { createHash } from 'node:crypto';
import type { AccountAccess, ConnectedAccount } from '../accounts/account-access.ts';
import {
  type ChannelRow,
  type Clock,
  type CollectionKey,
  type Logger,
  ProviderError,
  type PushChannelGrant,
  type PushResource,
  type Random,
  type Storage,
} from '../ports/index.ts';
import { createId, describeError, randomText } from '../runtime/index.ts';
import type { ChannelTokens } from './channel-token.ts';

/** A row whose opening was interrupted is looked at again after this. */
const OPENING_MS = 300_000;
/** How long one row of a poll stands; push is tried again at half of that. */
export const POLL_COVER_MS = 86_400_000;
/** Upkeep of the account's list also opens channels for calendars that came since, for subscriptions to all of them. */
const LIST_UPKEEP_MS = 600_000;

/** Where the provider sends its notifications, undefined when we have no public address. */
export type PushAddress = (providerType: string) => string | undefined;

/** Opens and closes single channels. Callers hold the collection's channel lock. */
export interface ChannelOpening {
  /**
   * A channel at the provider; undefined when it does not watch this collection or we have no public address.
   * @throws ProviderError for failures that a later try may cure
   */
  openPush(account: ConnectedAccount, calendarId: string | null, signal?: AbortSignal): Promise<ChannelRow | undefined>;
  /** The row of a poll that stands in for a channel. */
  openPoll(account: ConnectedAccount, calendarId: string | null): Promise<ChannelRow>;
  /**
   * Ends a channel here, and at the provider if it answers. `account` undefined: the provider is not asked.
   * Rejects, leaving the row, only when the signal was aborted.
   */
  close(account: ConnectedAccount | undefined, row: ChannelRow, signal?: AbortSignal): Promise<void>;
}

export function createChannelOpening(dependencies: {
  readonly storage: Pick<Storage, 'channels'>;
  readonly accounts: AccountAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tokens: ChannelTokens;
  readonly pushAddress: PushAddress;
  readonly lifetimeMs: number;
}): ChannelOpening {
  const { storage, accounts, clock, random, logger, tokens, pushAddress, lifetimeMs } = dependencies;

  const newRow = (account: ConnectedAccount, calendarId: string | null) => ({
    id: createId(random, 'chn'),
    applicationId: account.row.applicationId,
    accountId: account.row.id,
    calendarId,
    providerType: account.row.providerType,
    createdAt: clock.now(),
  });

  /** Stores what the provider granted. */
  const confirm = async (row: ChannelRow, grant: PushChannelGrant): Promise<ChannelRow> => {
    const { providerChannelId, resourceId, expiresAt } = grant;
    const granted = {
      providerChannelId,
      resourceId,
      expiresAt,
      renewAt: upkeepAt(row.calendarId, clock.now(), expiresAt),
    };
    await storage.channels.update(row.applicationId, row.id, granted);
    return { ...row, ...granted };
  };

  return {
    async openPush(account, calendarId, signal) {
      const address = pushAddress(account.row.providerType);
      if (address === undefined) return undefined;
      const now = clock.now();
      const made = newRow(account, calendarId);
      const token = tokens.issue(made.id);
      const row: ChannelRow = {
        ...made,
        kind: 'push',
        providerChannelId: null,
        resourceId: null,
        tokenHash: hashToken(token),
        address,
        expiresAt: now + lifetimeMs,
        renewAt: now + OPENING_MS,
      };
      // Before the provider is asked: its first notification may arrive before its answer does.
      await storage.channels.insert(row);
      try {
        const grant = await account.provider.push.open(accounts.session(account, signal), {
          channelId: row.id,
          token,
          address,
          resource: resourceOf(calendarId),
          expiresAt: row.expiresAt,
        });
        return await confirm(row, grant);
      } catch (error) {
        await storage.channels.delete(row.applicationId, row.id);
        if (!isRefusal(error)) throw error;
        logger.info('provider does not push, polling instead', {
          accountId: row.accountId,
          providerType: row.providerType,
          error: describeError(error),
        });
        return undefined;
      }
    },

    async openPoll(account, calendarId) {
      const now = clock.now();
      const row: ChannelRow = {
        ...newRow(account, calendarId),
        kind: 'poll',
        providerChannelId: `poll_${randomText(random, 22)}`,
        resourceId: calendarId ?? account.row.id,
        tokenHash: '',
        address: '',
        expiresAt: now + POLL_COVER_MS,
        renewAt: upkeepAt(calendarId, now, now + POLL_COVER_MS),
      };
      await storage.channels.insert(row);
      return row;
    },

    async close(account, row, signal) {
      const { providerChannelId, resourceId } = row;
      if (account !== undefined && row.kind === 'push' && providerChannelId !== null && resourceId !== null) {
        try {
          await account.provider.push.close(accounts.session(account, signal), { providerChannelId, resourceId });
        } catch (error) {
          // Interrupted, not refused: the row stays, so that upkeep finds what is left to close.
          if (signal?.aborted) throw error;
          // It ends by itself at its expiry; until then its notifications find no row.
          logger.warn('push channel not closed', { accountId: row.accountId, error: describeError(error) });
        }
      }
      await storage.channels.delete(row.applicationId, row.id);
    },
  };
}

/** SHA-256 of a channel's token, hex. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** Whether the channel covers its collection at this time. */
export function isLiving(row: ChannelRow, now: number): boolean {
  return row.providerChannelId !== null && row.expiresAt > now;
}

/** When a channel of this collection needs upkeep next: at half of what is left, that of the list oftener. */
export function upkeepAt(calendarId: string | null, now: number, expiresAt: number): number {
  const half = halfLife(now, expiresAt);
  return calendarId === null ? Math.min(half, now + LIST_UPKEEP_MS) : half;
}

/** The middle of what is left. */
export function halfLife(now: number, expiresAt: number): number {
  return now + Math.max(0, Math.floor((expiresAt - now) / 2));
}

export function collectionOf(row: ChannelRow): CollectionKey {
  return { applicationId: row.applicationId, accountId: row.accountId, calendarId: row.calendarId };
}

function resourceOf(calendarId: string | null): PushResource {
  return calendarId === null ? { kind: 'calendars' } : { kind: 'events', calendarId };
}

/** The provider will not watch this: asking again soon would not help, so polling covers for it. */
function isRefusal(error: unknown): boolean {
  const refusals = ['push-unsupported', 'unsupported', 'invalid', 'forbidden'];
  return ProviderError.isInstance(error) && refusals.includes(error.reason);
}
