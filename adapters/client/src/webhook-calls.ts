import { type CallOptions, deletion, pathOf, type Send, type Success } from './call.ts';
import { createListing, type Listing } from './listing.ts';
import type { SubscriptionListQuery } from './model/queries.ts';
import type { SubscriptionCreate, SubscriptionCreated, WebhookSubscription } from './model/subscription.ts';
import type { DeliveryListQuery, SecretRotated, WebhookDelivery } from './model/webhook-delivery.ts';
import type {
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointCreated,
  WebhookEndpointListQuery,
} from './model/webhook-endpoint.ts';

/** Calls about the subscriptions of an account: receivers of messages about its calendars. */
export interface SubscriptionCalls {
  /** Lists the subscriptions of an account. */
  list(accountId: string, query?: SubscriptionListQuery, options?: CallOptions): Listing<WebhookSubscription>;
  /** Creates a subscription. Returns `endpointSecret`, which no later answer shows: store it. */
  create(accountId: string, body: SubscriptionCreate, options?: CallOptions): Promise<SubscriptionCreated>;
  /** Deletes a subscription. */
  delete(accountId: string, subscriptionId: string, options?: CallOptions): Promise<Success>;
  /** Returns the calls of one subscription: deliveries, redelivery, recovery, secret rotation, re-enabling. */
  one(accountId: string, subscriptionId: string): ReceiverCalls<WebhookSubscription>;
}

/** Calls about the application's endpoints: receivers of messages about its accounts. */
export interface WebhookEndpointCalls {
  /** Lists the application's endpoints. */
  list(query?: WebhookEndpointListQuery, options?: CallOptions): Listing<WebhookEndpoint>;
  /** Creates an endpoint. Returns `endpointSecret`, which no later answer shows: store it. */
  create(body: WebhookEndpointCreate, options?: CallOptions): Promise<WebhookEndpointCreated>;
  /** Deletes an endpoint. */
  delete(endpointId: string, options?: CallOptions): Promise<Success>;
  /** Returns the calls of one endpoint: deliveries, redelivery, recovery, secret rotation, re-enabling. */
  one(endpointId: string): ReceiverCalls<WebhookEndpoint>;
}

/** The calls that subscriptions and endpoints have in common. */
export interface ReceiverCalls<Receiver> {
  /** Lists the attempts of the last 30 days, newest first. */
  listDeliveries(query?: DeliveryListQuery, options?: CallOptions): Listing<WebhookDelivery>;
  /** Sends a message again, under its own id. */
  redeliver(messageId: string, options?: CallOptions): Promise<Success>;
  /** Sends again every undelivered message that was created since a time. */
  recover(since: Date, options?: CallOptions): Promise<{ readonly recovered: number }>;
  /** Replaces the signing secret; for 24 hours messages carry a signature of each. */
  rotateSecret(options?: CallOptions): Promise<SecretRotated>;
  /** Enables a disabled receiver. */
  enable(options?: CallOptions): Promise<Receiver>;
}

export function subscriptionCalls(send: Send): SubscriptionCalls {
  const path = (...ids: readonly string[]) => pathOf('calendarSubscriptions', ...ids);
  return {
    list: (accountId, query, options) => createListing(send, path(accountId), query, options),
    create: (accountId, body, options) => send({ method: 'POST', path: path(accountId), body, options }),
    delete: (accountId, subscriptionId, options) => send(deletion(path(accountId), options, { subscriptionId })),
    one: (accountId, subscriptionId) => receiverCalls(send, path(accountId, subscriptionId)),
  };
}

export function webhookEndpointCalls(send: Send): WebhookEndpointCalls {
  const path = (...ids: readonly string[]) => pathOf('webhookEndpoints', ...ids);
  return {
    list: (query, options) => createListing(send, path(), query, options),
    create: (body, options) => send({ method: 'POST', path: path(), body, options }),
    delete: (endpointId, options) => send(deletion(path(endpointId), options)),
    one: (endpointId) => receiverCalls(send, path(endpointId)),
  };
}

function receiverCalls<Receiver>(send: Send, path: string): ReceiverCalls<Receiver> {
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
