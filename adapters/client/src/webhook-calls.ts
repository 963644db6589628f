import type { DeliveryListQuery, SecretRotated, WebhookDelivery } from 'kalends/model';
import { createListing, type Listing } from './listing.ts';
import type { Send } from './transport.ts';

/** The calls that subscriptions and endpoints have in common. */
export interface ReceiverCalls<Receiver> {
  /** Lists the attempts of the last 30 days, newest first. */
  listDeliveries(query?: DeliveryListQuery): Listing<WebhookDelivery>;
  /** Sends a message again, under its own id. */
  redeliver(messageId: string): Promise<{ readonly success: boolean }>;
  /** Sends again every undelivered message that was created since a time. */
  recover(since: Date): Promise<{ readonly recovered: number }>;
  /** Replaces the signing secret; for 24 hours messages carry a signature of each. */
  rotateSecret(): Promise<SecretRotated>;
  /** Enables a disabled receiver. */
  enable(): Promise<Receiver>;
}

export function receiverCalls<Receiver>(send: Send, path: string): ReceiverCalls<Receiver> {
  return {
    listDeliveries: (query) => createListing(send, `${path}/deliveries`, query),
    redeliver: (messageId) => send('POST', `${path}/redeliver`, { body: { messageId } }),
    recover: (since) => send('POST', `${path}/recover`, { body: { since: since.toISOString() } }),
    rotateSecret: () => send('POST', `${path}/rotateSecret`),
    enable: () => send('POST', `${path}/enable`),
  };
}
