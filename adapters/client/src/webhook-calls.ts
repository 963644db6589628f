import type { DeliveryListQuery, SecretRotated, WebhookDelivery } from 'kalends/model';
import { createListing, type Listing } from './listing.ts';
import type { Send } from './transport.ts';

/** What can be asked of one subscription, and of one endpoint alike. */
export interface ReceiverCalls<Receiver> {
  /** Attempts of the last 30 days, newest first. */
  listDeliveries(query?: DeliveryListQuery): Listing<WebhookDelivery>;
  /** Sends a message again, under its id. */
  redeliver(messageId: string): Promise<{ readonly success: boolean }>;
  /** Sends again what was made since a time and has not been delivered. */
  recover(since: Date): Promise<{ readonly recovered: number }>;
  /** A new secret; the old one signs as well for 24 hours. */
  rotateSecret(): Promise<SecretRotated>;
  /** Enables what was disabled. */
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
