import type {
  AccountListQuery,
  AccountUpsert,
  Calendar,
  CalendarCreate,
  CalendarEvent,
  CalendarListQuery,
  CalendarUpdate,
  Credentials,
  DeletedCalendar,
  DeletedEvent,
  EndUserAccount,
  EventAttachmentList,
  EventCreate,
  EventDescription,
  EventDescriptionQuery,
  EventGetQuery,
  EventListQuery,
  EventUpdate,
  FreeBusyQuery,
  FreeBusyResult,
  NotifyAttendees,
  OccurrenceListQuery,
  RsvpBody,
  SubscriptionCreate,
  SubscriptionCreated,
  SubscriptionListQuery,
  UnreadableListQuery,
  UnreadableObject,
  WebhookEndpoint,
  WebhookEndpointCreated,
  WebhookEndpointListQuery,
  WebhookSubscription,
} from 'kalends/model';
import { createListing, sync } from './listing.ts';
import { paced } from './paced.ts';
import { createTransport, type Fetch, pathOf } from './transport.ts';
import { receiverCalls } from './webhook-calls.ts';

export interface ClientOptions {
  /** Address of the service with its API path segment: `https://calendar.example.com/api`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** @default globalThis.fetch */
  readonly fetch?: Fetch;
  /**
   * Most requests that this client begins in any second; further ones wait their turn, in order. Set it below the
   * service's limit for the key (300 a second by default) to be spared 429 answers. A whole number from 1 on.
   * @default no limit
   */
  readonly requestsPerSecond?: number;
}

/** Options of a write that may send mail. */
export interface NotifyOptions {
  /** Recipients of the provider's mail. @default the attendees, about what they see */
  readonly notifyAttendees?: NotifyAttendees;
}

/** Options of a write to an event. */
export interface EventWriteOptions extends NotifyOptions {
  /** Refuses the write unless the event still has this etag. */
  readonly ifMatch?: string;
  /** How far a write to an occurrence reaches. @default this for an occurrence, all for a series */
  readonly scope?: 'this' | 'following' | 'all';
}

interface Success {
  readonly success: boolean;
}

type NewSubscription = Omit<SubscriptionCreate, 'subscriptionType'> &
  Partial<Pick<SubscriptionCreate, 'subscriptionType'>>;

export type Client = ReturnType<typeof createClient>;

/**
 * Creates a client with a typed call for each route under `/v1`.
 * Lists are iterated over (`for await`) or read by page. `sync` carries tokens, and reads everything again when the service
 * has forgotten one. No call is retried. Every method rejects with ApiError.
 *
 * @example
 * ```ts
 * const client = createClient({ baseUrl: 'https://calendar.example.com/api', apiKey });
 * for await (const event of client.events.list(accountId, calendarId)) console.log(event.title);
 * ```
 */
export function createClient({ baseUrl, apiKey, fetch = globalThis.fetch, requestsPerSecond }: ClientOptions) {
  const send = createTransport(
    baseUrl,
    apiKey,
    requestsPerSecond === undefined ? fetch : paced(fetch, requestsPerSecond),
  );
  const account = (id: string) => pathOf('endUserAccounts', id);
  const calendars = (...ids: readonly string[]) => pathOf('calendars', ...ids);
  const events = (...ids: readonly string[]) => pathOf('events', ...ids);

  return {
    accounts: {
      list: (query: AccountListQuery = {}) => createListing<EndUserAccount>(send, pathOf('endUserAccounts'), query),
      get: (accountId: string) => send<EndUserAccount>('GET', account(accountId)),
      /** Lists what the provider sent and cannot be read: the account's sync health. */
      listUnreadableObjects: (accountId: string, query: UnreadableListQuery = {}) =>
        createListing<UnreadableObject>(send, `${account(accountId)}/unreadableObjects`, query),
      getCredentials: (accountId: string) => send<Credentials>('GET', `${account(accountId)}/credentials`),
      /** Creates the account, or replaces the credentials of the one with the same mailbox. */
      upsert: (body: AccountUpsert) => send<EndUserAccount>('POST', pathOf('endUserAccounts'), { body }),
      delete: (accountId: string) => send<{ message: string; ok: boolean }>('DELETE', account(accountId)),
    },

    calendars: {
      list: (accountId: string, query: CalendarListQuery = {}) =>
        createListing<Calendar | DeletedCalendar>(send, calendars(accountId), query),
      sync: (accountId: string, query: CalendarListQuery = {}) =>
        sync<Calendar | DeletedCalendar>(send, calendars(accountId), query),
      get: (accountId: string, calendarId: string) => send<Calendar>('GET', calendars(accountId, calendarId)),
      create: (accountId: string, body: CalendarCreate) => send<Calendar>('POST', calendars(accountId), { body }),
      update: (accountId: string, calendarId: string, body: CalendarUpdate) =>
        send<Calendar>('PUT', calendars(accountId, calendarId), { body }),
      delete: (accountId: string, calendarId: string) => send<Success>('DELETE', calendars(accountId, calendarId)),
    },

    events: {
      list: (accountId: string, calendarId: string, query: EventListQuery = {}) =>
        createListing<CalendarEvent | DeletedEvent>(send, events(accountId, calendarId), query),
      sync: (accountId: string, calendarId: string, query: EventListQuery = {}) =>
        sync<CalendarEvent | DeletedEvent>(send, events(accountId, calendarId), query),
      listOccurrences: (accountId: string, calendarId: string, eventId: string, query: OccurrenceListQuery) =>
        createListing<CalendarEvent | DeletedEvent>(
          send,
          `${events(accountId, calendarId, eventId)}/occurrences`,
          query,
        ),
      /** Lists the attachments of an event, as the provider has them now. */
      listAttachments: (accountId: string, calendarId: string, eventId: string) =>
        send<EventAttachmentList>('GET', `${events(accountId, calendarId, eventId)}/attachments`),
      /** Returns the description of an event as HTML (the default) or text, as the provider has it now. */
      getDescription: (accountId: string, calendarId: string, eventId: string, query: EventDescriptionQuery = {}) =>
        send<EventDescription>('GET', `${events(accountId, calendarId, eventId)}/description`, { query }),
      get: (accountId: string, calendarId: string, eventId: string, query: EventGetQuery = {}) =>
        send<CalendarEvent>('GET', events(accountId, calendarId, eventId), { query }),
      /** Returns the event, or undefined while it still has this etag. */
      getIfChanged: (accountId: string, calendarId: string, eventId: string, etag: string, query: EventGetQuery = {}) =>
        send<CalendarEvent | undefined>('GET', events(accountId, calendarId, eventId), {
          query,
          headers: { 'if-none-match': etag },
        }),
      /** Creates an event; a repetition with the same `idempotencyKey` returns the first one's result. */
      create: (
        accountId: string,
        calendarId: string,
        body: EventCreate,
        { idempotencyKey, notifyAttendees }: { readonly idempotencyKey?: string } & NotifyOptions = {},
      ) =>
        send<CalendarEvent>('POST', events(accountId, calendarId), {
          body,
          query: { notifyAttendees },
          headers: { 'idempotency-key': idempotencyKey },
        }),
      update: (
        accountId: string,
        calendarId: string,
        eventId: string,
        body: EventUpdate,
        { ifMatch, scope, notifyAttendees }: EventWriteOptions = {},
      ) =>
        send<CalendarEvent>('PUT', events(accountId, calendarId, eventId), {
          body,
          query: { scope, notifyAttendees },
          headers: { 'if-match': ifMatch },
        }),
      respond: (
        accountId: string,
        calendarId: string,
        eventId: string,
        body: RsvpBody,
        { ifMatch, notifyAttendees }: Omit<EventWriteOptions, 'scope'> = {},
      ) =>
        send<Success>('POST', `${events(accountId, calendarId, eventId)}/rsvp`, {
          body,
          query: { notifyAttendees },
          headers: { 'if-match': ifMatch },
        }),
      delete: (
        accountId: string,
        calendarId: string,
        eventId: string,
        { ifMatch, scope, notifyAttendees }: EventWriteOptions = {},
      ) =>
        send<Success>('DELETE', events(accountId, calendarId, eventId), {
          query: { scope, notifyAttendees },
          headers: { 'if-match': ifMatch },
        }),
    },

    freeBusy: (accountId: string, body: FreeBusyQuery) =>
      send<FreeBusyResult>('POST', pathOf('freeBusy', accountId), { body }),

    subscriptions: {
      list: (accountId: string, query: SubscriptionListQuery = {}) =>
        createListing<WebhookSubscription>(send, pathOf('calendarSubscriptions', accountId), query),
      /** Returns `endpointSecret`, which no later answer shows: store it. */
      create: (accountId: string, body: NewSubscription) =>
        send<SubscriptionCreated>('POST', pathOf('calendarSubscriptions', accountId), { body }),
      delete: (accountId: string, subscriptionId: string) =>
        send<Success>('DELETE', pathOf('calendarSubscriptions', accountId), { query: { subscriptionId } }),
      /** Returns the calls of one subscription: deliveries, redelivery, recovery, secret rotation, re-enabling. */
      one: (accountId: string, subscriptionId: string) =>
        receiverCalls<WebhookSubscription>(send, pathOf('calendarSubscriptions', accountId, subscriptionId)),
    },

    webhookEndpoints: {
      list: (query: WebhookEndpointListQuery = {}) =>
        createListing<WebhookEndpoint>(send, pathOf('webhookEndpoints'), query),
      /** Returns `endpointSecret`, which no later answer shows: store it. */
      create: (body: { readonly webhookUrl: string; readonly rateLimit?: number | null }) =>
        send<WebhookEndpointCreated>('POST', pathOf('webhookEndpoints'), { body }),
      delete: (endpointId: string) => send<Success>('DELETE', pathOf('webhookEndpoints', endpointId)),
      /** Returns the calls of one endpoint: deliveries, redelivery, recovery, secret rotation, re-enabling. */
      one: (endpointId: string) => receiverCalls<WebhookEndpoint>(send, pathOf('webhookEndpoints', endpointId)),
    },
  };
}
