import type { DeliveryListQuery, SecretRotated, WebhookDelivery } from 'kalends/model';
import type { CallOptions, Send } from './call.ts';
import { createListing, type Listing } from './listing.ts';

/** The calls that subscriptions and endpoints have in common. */
export interface ReceiverCalls<Receiver> {
  /** Lists the attempts of the last 30 days, newest first. */
  listDeliveries(query?: DeliveryListQuery, options?: CallOptions): Listing<WebhookDelivery>;
  /** Sends a message again, under its own id. */
  redeliver(messageId: string, options?: CallOptions): Promise<{ readonly success: boolean }>;
  /** Sends again every undelivered message that was created since a time. */
  recover(since: Date, options?: CallOptions): Promise<{ readonly recovered: number }>;
  /** Replaces the signing secret; for 24 hours messages carry a signature of each. */
  rotateSecret(options?: CallOptions): Promise<SecretRotated>;
  /** Enables a disabled receiver. */
  enable(options?: CallOptions): Promise<Receiver>;
}

export function receiverCalls<Receiver>(send: Send, path: string): ReceiverCalls<Receiver> {
  const post = (
    call: string,
    options: CallOptions | undefined,
    rest: { body?: unknown; isRepeatable?: boolean } = {},
  ) => ({ method: 'POST', path: `${path}/${call}`, options, ...rest }) as const;
  return {
    listDeliveries: (query, options) => createListing(send, `${path}/deliveries`, query, options),
    redeliver: (messageId, options) => send(post('redeliver', options, { body: { messageId } })),
    recover: (since, options) => send(post('recover', options, { body: { since: since.toISOString() } })),
    rotateSecret: (options) => send(post('rotateSecret', options)),
    enable: (options) => send(post('enable', options, { isRepeatable: true })),
  };
}
