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
import { type CallOptions, type CreateOptions, type Fetch, pathOf, type Query } from './call.ts';
import type { ClientHooks } from './hooks.ts';
import { createListing } from './listing.ts';
import { randomKey } from './runtime/index.ts';
import { type RecordStore, sync, syncInto } from './sync.ts';
import { createTransport } from './transport.ts';
import { receiverCalls } from './webhook-calls.ts';
import { withoutTrailingSlash } from './without-trailing-slash.ts';

/** Longest delay of a timer. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export interface ClientOptions {
  /** Address of the service with its API path segment: `https://calendar.example.com/api`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** `paced` of `@kalends/client/paced` makes one that keeps a rate. @default globalThis.fetch */
  readonly fetch?: Fetch;
  /** Most milliseconds for the whole answer of one attempt. @default 30_000 */
  readonly timeoutMs?: number;
  /** Most further attempts of a call whose repetition is safe, after 429, 5xx, lost connections and timeouts. @default 2 */
  readonly retries?: number;
  /** Observers of requests, for tracing, logs and metrics. */
  readonly hooks?: ClientHooks;
}

/** Options of a write that may send mail. */
export interface NotifyOptions extends CallOptions {
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

/** The records of a list: deleted ones too when the query may have a syncToken. */
type Listed<Asked, Present, Deleted> = 'syncToken' extends keyof Asked ? Present | Deleted : Present;

export type Client = ReturnType<typeof createClient>;

/**
 * Creates a client with a typed call for each route under `/v1`.
 * Lists are iterated over (`for await`) or read by page. `sync` carries tokens, and reads everything again when the service
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
export function createClient(settings: ClientOptions) {
  const { baseUrl, apiKey, fetch = globalThis.fetch, timeoutMs = 30_000, retries = 2 } = settings;
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS))
    throw new RangeError('timeoutMs: must be from 1 to 2147483647');
  if (!Number.isInteger(retries) || retries < 0) throw new RangeError('retries: must be a whole number from 0 on');
  const send = createTransport({
    root: withoutTrailingSlash(baseUrl),
    apiKey,
    fetch,
    timeoutMs,
    retries,
    hooks: settings.hooks ?? {},
  });
  const account = (id: string) => pathOf('endUserAccounts', id);
  const calendars = (...ids: readonly string[]) => pathOf('calendars', ...ids);
  const events = (...ids: readonly string[]) => pathOf('events', ...ids);
  const subscriptions = (...ids: readonly string[]) => pathOf('calendarSubscriptions', ...ids);
  const endpoints = (...ids: readonly string[]) => pathOf('webhookEndpoints', ...ids);

  const get = <Result>(path: string, options?: CallOptions, query: Query = {}) =>
    send<Result>({ method: 'GET', path, query, options });
  /** Creates an object under an Idempotency-Key, so that a repetition creates no second one. */
  const create = <Result>(
    path: string,
    body: unknown,
    { idempotencyKey = randomKey(), ...options }: CreateOptions,
    query: Query = {},
  ) =>
    send<Result>({
      method: 'POST',
      path,
      query,
      body,
      headers: { 'idempotency-key': idempotencyKey },
      isRepeatable: true,
      options,
    });
  const remove = <Result = Success>(
    path: string,
    options?: CallOptions,
    query: Query = {},
    whenGone: unknown = { success: true },
  ) => send<Result>({ method: 'DELETE', path, query, options, whenGone });

  return {
    accounts: {
      list: (query: AccountListQuery = {}, options?: CallOptions) =>
        createListing<EndUserAccount>(send, pathOf('endUserAccounts'), query, options),
      get: (accountId: string, options?: CallOptions) => get<EndUserAccount>(account(accountId), options),
      /** Lists what the provider sent and cannot be read: the account's sync health. */
      listUnreadableObjects: (accountId: string, query: UnreadableListQuery = {}, options?: CallOptions) =>
        createListing<UnreadableObject>(send, `${account(accountId)}/unreadableObjects`, query, options),
      getCredentials: (accountId: string, options?: CallOptions) =>
        get<Credentials>(`${account(accountId)}/credentials`, options),
      /** Creates the account, or replaces the credentials of the one with the same mailbox. */
      upsert: (body: AccountUpsert, options?: CallOptions) =>
        send<EndUserAccount>({ method: 'POST', path: pathOf('endUserAccounts'), body, options }),
      delete: (accountId: string, options?: CallOptions) =>
        remove<{ message: string; ok: boolean }>(
          account(accountId),
          options,
          {},
          { message: 'Account deleted', ok: true },
        ),
    },

    calendars: {
      /** Lists calendars. Deleted ones are in answers to a syncToken alone. */
      list: <Asked extends CalendarListQuery = object>(accountId: string, query?: Asked, options?: CallOptions) =>
        createListing<Listed<Asked, Calendar, DeletedCalendar>>(send, calendars(accountId), query, options),
      /** Returns the changes since a token, or the whole list. */
      sync: (accountId: string, query: CalendarListQuery = {}, options?: CallOptions) =>
        sync<Calendar | DeletedCalendar>(send, calendars(accountId), query, options),
      /** Brings a local copy of the list up to date. */
      syncInto: (
        store: RecordStore<Calendar>,
        accountId: string,
        query: CalendarListQuery = {},
        options?: CallOptions,
      ) => syncInto(store, send, calendars(accountId), query, options),
      get: (accountId: string, calendarId: string, options?: CallOptions) =>
        get<Calendar>(calendars(accountId, calendarId), options),
      create: (accountId: string, body: CalendarCreate, options: CreateOptions = {}) =>
        create<Calendar>(calendars(accountId), body, options),
      update: (accountId: string, calendarId: string, body: CalendarUpdate, options?: CallOptions) =>
        send<Calendar>({ method: 'PUT', path: calendars(accountId, calendarId), body, options }),
      delete: (accountId: string, calendarId: string, options?: CallOptions) =>
        remove(calendars(accountId, calendarId), options),
    },

    events: {
      /** Lists events. Deleted ones are in answers to a syncToken alone, where `isDeleted` tells them apart. */
      list: <Asked extends EventListQuery = object>(
        accountId: string,
        calendarId: string,
        query?: Asked,
        options?: CallOptions,
      ) =>
        createListing<Listed<Asked, CalendarEvent, DeletedEvent>>(send, events(accountId, calendarId), query, options),
      /** Returns the changes since a token, or the whole list. */
      sync: (accountId: string, calendarId: string, query: EventListQuery = {}, options?: CallOptions) =>
        sync<CalendarEvent | DeletedEvent>(send, events(accountId, calendarId), query, options),
      /** Brings a local copy of the list up to date. */
      syncInto: (
        store: RecordStore<CalendarEvent>,
        accountId: string,
        calendarId: string,
        query: EventListQuery = {},
        options?: CallOptions,
      ) => syncInto(store, send, events(accountId, calendarId), query, options),
      /** Lists the occurrences of a series, as `list` does. */
      listOccurrences: <Asked extends OccurrenceListQuery>(
        accountId: string,
        calendarId: string,
        eventId: string,
        query: Asked,
        options?: CallOptions,
      ) =>
        createListing<Listed<Asked, CalendarEvent, DeletedEvent>>(
          send,
          `${events(accountId, calendarId, eventId)}/occurrences`,
          query,
          options,
        ),
      /** Lists the attachments of an event, as the provider has them now. */
      listAttachments: (accountId: string, calendarId: string, eventId: string, options?: CallOptions) =>
        get<EventAttachmentList>(`${events(accountId, calendarId, eventId)}/attachments`, options),
      /** Returns the description of an event as HTML (the default) or text, as the provider has it now. */
      getDescription: (
        accountId: string,
        calendarId: string,
        eventId: string,
        query: EventDescriptionQuery = {},
        options?: CallOptions,
      ) => get<EventDescription>(`${events(accountId, calendarId, eventId)}/description`, options, query),
      get: (accountId: string, calendarId: string, eventId: string, query: EventGetQuery = {}, options?: CallOptions) =>
        get<CalendarEvent>(events(accountId, calendarId, eventId), options, query),
      /** Returns the event, or undefined while it still has this etag. */
      getIfChanged: (
        accountId: string,
        calendarId: string,
        eventId: string,
        etag: string,
        query: EventGetQuery = {},
        options?: CallOptions,
      ) =>
        send<CalendarEvent | undefined>({
          method: 'GET',
          path: events(accountId, calendarId, eventId),
          query,
          headers: { 'if-none-match': etag },
          options,
        }),
      create: (
        accountId: string,
        calendarId: string,
        body: EventCreate,
        { notifyAttendees, ...options }: CreateOptions & NotifyOptions = {},
      ) => create<CalendarEvent>(events(accountId, calendarId), body, options, { notifyAttendees }),
      update: (
        accountId: string,
        calendarId: string,
        eventId: string,
        body: EventUpdate,
        { ifMatch, scope, notifyAttendees, ...options }: EventWriteOptions = {},
      ) =>
        send<CalendarEvent>({
          method: 'PUT',
          path: events(accountId, calendarId, eventId),
          body,
          query: { scope, notifyAttendees },
          headers: { 'if-match': ifMatch },
          options,
        }),
      respond: (
        accountId: string,
        calendarId: string,
        eventId: string,
        body: RsvpBody,
        { ifMatch, notifyAttendees, ...options }: Omit<EventWriteOptions, 'scope'> = {},
      ) =>
        send<Success>({
          method: 'POST',
          path: `${events(accountId, calendarId, eventId)}/rsvp`,
          body,
          query: { notifyAttendees },
          headers: { 'if-match': ifMatch },
          isRepeatable: ifMatch === undefined,
          options,
        }),
      delete: (
        accountId: string,
        calendarId: string,
        eventId: string,
        { ifMatch, scope, notifyAttendees, ...options }: EventWriteOptions = {},
      ) =>
        send<Success>({
          method: 'DELETE',
          path: events(accountId, calendarId, eventId),
          query: { scope, notifyAttendees },
          headers: { 'if-match': ifMatch },
          whenGone: { success: true },
          options,
        }),
    },

    freeBusy: (accountId: string, body: FreeBusyQuery, options?: CallOptions) =>
      send<FreeBusyResult>({ method: 'POST', path: pathOf('freeBusy', accountId), body, isRepeatable: true, options }),

    subscriptions: {
      list: (accountId: string, query: SubscriptionListQuery = {}, options?: CallOptions) =>
        createListing<WebhookSubscription>(send, subscriptions(accountId), query, options),
      /** Returns `endpointSecret`, which no later answer shows: store it. */
      create: (accountId: string, body: NewSubscription, options?: CallOptions) =>
        send<SubscriptionCreated>({ method: 'POST', path: subscriptions(accountId), body, options }),
      delete: (accountId: string, subscriptionId: string, options?: CallOptions) =>
        remove(subscriptions(accountId), options, { subscriptionId }),
      /** Returns the calls of one subscription: deliveries, redelivery, recovery, secret rotation, re-enabling. */
      one: (accountId: string, subscriptionId: string) =>
        receiverCalls<WebhookSubscription>(send, subscriptions(accountId, subscriptionId)),
    },

    webhookEndpoints: {
      list: (query: WebhookEndpointListQuery = {}, options?: CallOptions) =>
        createListing<WebhookEndpoint>(send, endpoints(), query, options),
      /** Returns `endpointSecret`, which no later answer shows: store it. */
      create: (body: { readonly webhookUrl: string; readonly rateLimit?: number | null }, options?: CallOptions) =>
        send<WebhookEndpointCreated>({ method: 'POST', path: endpoints(), body, options }),
      delete: (endpointId: string, options?: CallOptions) => remove(endpoints(endpointId), options),
      /** Returns the calls of one endpoint: deliveries, redelivery, recovery, secret rotation, re-enabling. */
      one: (endpointId: string) => receiverCalls<WebhookEndpoint>(send, endpoints(endpointId)),
    },
  };
}
