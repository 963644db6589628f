import { createHash } from 'node:crypto';
import type { AccountAccess, ConnectedAccount } from '../accounts/index.ts';
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

/** Upkeep finds a channel whose opening was interrupted after this time. */
const OPENING_MS = 300_000;
/** Lifetime of a poll row; push is tried again before its end. */
export const POLL_COVER_MS = 86_400_000;
/** Share of a channel's life after which it is renewed. The rest, 41 hours of a week, is for retries and outages. */
const RENEWAL_SHARE = 0.75;
/** Upkeep of a calendar list's channel also covers new calendars, if the process that found one ended before it made this due. */
const LIST_UPKEEP_MS = 600_000;
/** For how long a channel counts as open that the provider wants to have reauthorized: its upkeep renews it before. */
export const REAUTHORIZATION_MS = 3_600_000;

/** Returns the URL for a provider's notifications, undefined when the engine has no public address. */
export type PushAddress = (providerType: string) => string | undefined;

/** Opens and closes single channels. The caller holds the collection's channel lock. */
export interface ChannelOpening {
  /**
   * Opens a channel at the provider. Returns undefined when the provider does not push for this collection or the engine has
   * no public address.
   * @throws ProviderError for failures that a later attempt may overcome
   */
  openPush(account: ConnectedAccount, calendarId: string | null, signal?: AbortSignal): Promise<ChannelRow | undefined>;
  /** Inserts a poll row, which covers the collection in place of a channel. */
  openPoll(account: ConnectedAccount, calendarId: string | null): Promise<ChannelRow>;
  /**
   * Closes a channel at the provider, as far as the provider responds, and deletes its row. Skips the provider when `account`
   * is undefined. Rejects, leaving the row, only when the signal was aborted.
   */
  close(account: ConnectedAccount | undefined, row: ChannelRow, signal?: AbortSignal): Promise<void>;
}

export function createChannelOpening({
  storage,
  accounts,
  clock,
  random,
  logger,
  tokens,
  pushAddress,
  lifetimeMs,
}: {
  readonly storage: Pick<Storage, 'channels'>;
  readonly accounts: AccountAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tokens: ChannelTokens;
  readonly pushAddress: PushAddress;
  readonly lifetimeMs: number;
}): ChannelOpening {
  const newRow = (account: ConnectedAccount, calendarId: string | null) => ({
    id: createId(random, 'chn'),
    applicationId: account.row.applicationId,
    accountId: account.row.id,
    calendarId,
    providerType: account.row.providerType,
    createdAt: clock.now(),
  });

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
      // Insert first: the provider's first notification may arrive before its response.
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
        if (!isPushRefused(error)) throw error;
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
          // Interrupted, not refused: keep the row, so that upkeep closes the channel later.
          if (signal?.aborted) throw error;
          // The channel ends at its expiry; until then its notifications find no row.
          logger.warn('push channel not closed', { accountId: row.accountId, error: describeError(error) });
        }
      }
      await storage.channels.delete(row.applicationId, row.id);
    },
  };
}

/** Returns the SHA-256 of a channel's token in hex. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** Returns whether the channel covers its collection at this time. */
export function isLive(row: ChannelRow, now: number): boolean {
  return row.providerChannelId !== null && row.expiresAt > now;
}

/** Returns the time of a channel's next upkeep: when its renewal is due, sooner for a calendar list. */
export function upkeepAt(calendarId: string | null, now: number, expiresAt: number): number {
  const renewal = renewalAt(now, expiresAt);
  return calendarId === null ? Math.min(renewal, now + LIST_UPKEEP_MS) : renewal;
}

/** Returns when a channel with this remaining lifetime is due for renewal. */
function renewalAt(now: number, expiresAt: number): number {
  return now + Math.max(0, Math.floor((expiresAt - now) * RENEWAL_SHARE));
}

/**
 * Returns whether a live channel is due for renewal, whatever its upkeep is due for.
 * @param lifetimeMs the life that renewals ask for
 */
export function needsRenewal({ createdAt, expiresAt }: ChannelRow, now: number, lifetimeMs: number): boolean {
  // A channel that was extended in place is older than its present life.
  const grantedAt = Math.max(createdAt, expiresAt - lifetimeMs);
  return now >= renewalAt(grantedAt, expiresAt) || expiresAt - now <= REAUTHORIZATION_MS;
}

/** Returns the key of the collection that the channel covers. */
export function collectionOf(row: ChannelRow): CollectionKey {
  return { applicationId: row.applicationId, accountId: row.accountId, calendarId: row.calendarId };
}

function resourceOf(calendarId: string | null): PushResource {
  return calendarId === null ? { kind: 'calendars' } : { kind: 'events', calendarId };
}

/** Returns whether the provider does not push for this resource, so that an early retry is useless. */
function isPushRefused(error: unknown): boolean {
  const refusals = ['push-unsupported', 'unsupported', 'invalid', 'forbidden'];
  return ProviderError.isInstance(error) && refusals.includes(error.reason);
}
