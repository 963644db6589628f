import { type AccountCalls, accountCalls } from './account-calls.ts';
import { type CalendarCalls, calendarCalls } from './calendar-calls.ts';
import { type CallOptions, type Fetch, pathOf } from './call.ts';
import { type EventCalls, eventCalls } from './event-calls.ts';
import { type FeedCalls, feedCalls } from './feed-calls.ts';
import { type BookingCalls, bookingCalls, type HoldCalls, holdCalls } from './hold-calls.ts';
import type { ClientHooks } from './hooks.ts';
import type { AccountsFreeBusyQuery, AccountsFreeBusyResult } from './model/accounts-free-busy.ts';
import type {
  AvailabilityExplainQuery,
  AvailabilityQuery,
  AvailabilityResult,
  SlotExplanation,
} from './model/availability.ts';
import type { FreeBusyQuery, FreeBusyResult } from './model/free-busy.ts';
import { requireTimeout } from './runtime/index.ts';
import { createTransport, requireRetries } from './transport.ts';
import {
  type SubscriptionCalls,
  subscriptionCalls,
  type WebhookEndpointCalls,
  webhookEndpointCalls,
} from './webhook-calls.ts';
import { withoutTrailingSlash } from './without-trailing-slash.ts';

export interface ClientOptions {
  /** Address of the service with its API path segment: `https://calendar.example.com/api`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Must heed `redirect: 'manual'`. `paced` of `@kalends/client/paced` makes one that keeps a rate, `recordHistory` of `@kalends/client/history` one that records. @default globalThis.fetch */
  readonly fetch?: Fetch;
  /** Most milliseconds for the whole answer of one attempt. @default 30_000 */
  readonly timeoutMs?: number;
  /** Most further attempts of a call whose repetition is safe, after 429, 5xx, lost connections and timeouts. @default 2 */
  readonly retries?: number;
  /** Observers of requests, for tracing, logs and metrics. */
  readonly hooks?: ClientHooks;
}

/** A client of one service: its calls by resource. Every method takes CallOptions last, and rejects with a ClientError. */
export interface Client {
  readonly accounts: AccountCalls;
  readonly calendars: CalendarCalls;
  readonly events: EventCalls;
  /** Returns the busy time of calendars, one element for each, in the order of the query. */
  freeBusy(accountId: string, body: FreeBusyQuery, options?: CallOptions): Promise<FreeBusyResult>;
  /** Returns the busy time of many accounts, one element for each, with the error of one that cannot be read. */
  freeBusyOfAccounts(body: AccountsFreeBusyQuery, options?: CallOptions): Promise<AccountsFreeBusyResult>;
  /** Returns a page of the times at which participants can meet. */
  availability(body: AvailabilityQuery, options?: CallOptions): Promise<AvailabilityResult>;
  /** Returns why a slot is offered, or why not. */
  explainAvailability(body: AvailabilityExplainQuery, options?: CallOptions): Promise<SlotExplanation>;
  readonly subscriptions: SubscriptionCalls;
  readonly webhookEndpoints: WebhookEndpointCalls;
  readonly feeds: FeedCalls;
  readonly holds: HoldCalls;
  readonly bookings: BookingCalls;
}

/**
 * Creates a client with a typed call for each route under `/v1`.
 * Lists are iterated over (`for await`) or read by page. `sync` carries tokens, and reads the list again when the service
 * has forgotten one. Calls are repeated after failures where that is safe: creations carry an Idempotency-Key. Every method
 * takes CallOptions as its last parameter, and rejects with a ClientError.
 * @throws RangeError for a `timeoutMs` or `retries` that makes no sense
 *
 * @example
 * ```ts
 * const client = createClient({ baseUrl: 'https://calendar.example.com/api', apiKey });
 * for await (const event of client.events.list(accountId, calendarId)) console.log(event.title);
 * ```
 */
export function createClient(settings: ClientOptions): Client {
  const { baseUrl, apiKey, fetch = globalThis.fetch, timeoutMs = 30_000, retries = 2 } = settings;
  requireTimeout(timeoutMs);
  requireRetries(retries);
  const send = createTransport({
    root: withoutTrailingSlash(baseUrl),
    apiKey,
    fetch,
    timeoutMs,
    retries,
    hooks: settings.hooks ?? {},
  });
  return {
    accounts: accountCalls(send),
    calendars: calendarCalls(send),
    events: eventCalls(send),
    freeBusy: (accountId, query, options) =>
      send({ method: 'POST', path: pathOf('freeBusy', accountId), body: query, isRepeatable: true, options }),
    freeBusyOfAccounts: (body, options) =>
      send({ method: 'POST', path: pathOf('freeBusy'), body, isRepeatable: true, options }),
    availability: (body, options) =>
      send({ method: 'POST', path: pathOf('availability'), body, isRepeatable: true, options }),
    explainAvailability: (body, options) =>
      send({ method: 'POST', path: pathOf('availability', 'explain'), body, isRepeatable: true, options }),
    subscriptions: subscriptionCalls(send),
    webhookEndpoints: webhookEndpointCalls(send),
    feeds: feedCalls(send),
    holds: holdCalls(send),
    bookings: bookingCalls(send),
  };
}
