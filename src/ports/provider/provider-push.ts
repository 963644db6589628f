import type { ProviderSession } from './provider-session.ts';

/** Watched resource: a calendar's events, or the account's calendar list. */
export type PushResource = { readonly kind: 'events'; readonly calendarId: string } | { readonly kind: 'calendars' };

export interface PushChannelGrant {
  /** The provider's id of the channel (Graph subscription id, Google channel id). */
  readonly providerChannelId: string;
  /** The provider's id of the watched resource. */
  readonly resourceId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** One notification; the engine authenticates it by comparing `token`. */
export interface PushNotification {
  readonly providerChannelId: string;
  /** Our secret of the channel; undefined when the notification had none. */
  readonly token: string | undefined;
  /** `sync` announces a new channel; the lifecycle kinds follow Graph's lifecycle notifications. */
  readonly kind: 'changed' | 'sync' | 'missed' | 'removed' | 'reauthorization-required';
  /** Provider event ids named in it, if any. */
  readonly providerEventIds: readonly string[];
  /** The named events were deleted: a read by id alone may still find them. @default false */
  readonly isDeletion?: boolean;
}

export interface ProviderPush {
  /**
   * Opens a channel. `channelId` is ours, used where the provider lets us choose. `address` is our public URL for this
   * provider's notifications; the provider may call it before this resolves.
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
  /** Extends the channel; null where the provider cannot (open a new one, then close this). @throws ProviderError not-found */
  renew(
    session: ProviderSession,
    channel: { readonly providerChannelId: string; readonly expiresAt: number },
  ): Promise<PushChannelGrant | null>;
  /** Closes the channel; resolves also if it is gone already. */
  close(
    session: ProviderSession,
    channel: { readonly providerChannelId: string; readonly resourceId: string },
  ): Promise<void>;
  /**
   * Parses a request to our notification address. Returns the immediate answer (validation handshakes included) and the
   * notifications. Never throws: a malformed request gets a 400 answer and no notification.
   */
  receive(
    request: Request,
  ): Promise<{ readonly response: Response; readonly notifications: readonly PushNotification[] }>;
}
