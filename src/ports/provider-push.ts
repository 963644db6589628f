import type { ProviderSession } from './provider-session.ts';

/** What is watched: a calendar's events, or the account's calendar list. */
export type PushResource = { readonly kind: 'events'; readonly calendarId: string } | { readonly kind: 'calendars' };

export interface PushChannelGrant {
  /** The provider's id of the channel (Graph subscription id, Google channel id). */
  readonly providerChannelId: string;
  /** The provider's id of the watched resource. */
  readonly resourceId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** One notification, still to be authenticated by comparing `token`. */
export interface PushNotification {
  readonly providerChannelId: string;
  /** The secret that we gave the channel; undefined when the notification carried none. */
  readonly token: string | undefined;
  /** `sync` announces a new channel; the lifecycle kinds follow Graph's lifecycle notifications. */
  readonly kind: 'changed' | 'sync' | 'missed' | 'removed' | 'reauthorization-required';
  /** Provider event ids that it names, if any. */
  readonly providerEventIds: readonly string[];
}

export interface ProviderPush {
  /**
   * Opens a channel. `channelId` is ours (used where the provider lets us choose). `address` is our public URL for this
   * provider's notifications; it may be called before this resolves.
   * @throws ProviderError push-unsupported when this resource cannot be watched
   */
  open(
    session: ProviderSession,
    input: {
      readonly channelId: string;
      readonly token: string;
      readonly address: string;
      readonly resource: PushResource;
      readonly expiresAt: number;
    },
  ): Promise<PushChannelGrant>;
  /** Extends the channel in place, or resolves null where the provider cannot (open a new one, then close this). @throws ProviderError not-found */
  renew(
    session: ProviderSession,
    channel: { readonly providerChannelId: string; readonly expiresAt: number },
  ): Promise<PushChannelGrant | null>;
  /** Resolves also when it was gone already. */
  close(
    session: ProviderSession,
    channel: { readonly providerChannelId: string; readonly resourceId: string },
  ): Promise<void>;
  /**
   * Reads a request to our notification address: the answer to give at once (validation handshakes included) and the
   * notifications it carried. Never throws; garbage is a 400 answer with none.
   */
  receive(
    request: Request,
  ): Promise<{ readonly response: Response; readonly notifications: readonly PushNotification[] }>;
}
