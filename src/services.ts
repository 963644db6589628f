import type {
  AccountListQuery,
  Calendar,
  CalendarEvent,
  CalendarListQuery,
  Credentials,
  DeletedCalendar,
  DeletedEvent,
  EndUserAccount,
  EventGetQuery,
  EventListQuery,
  FreeBusyResult,
  OccurrenceListQuery,
  SubscriptionCreated,
  SubscriptionListQuery,
  WebhookSubscription,
} from './model/index.ts';

/**
 * The engine's face: one service for each room of the interface. Inputs are validated here (the HTTP binding passes
 * bodies and queries as they came), so that an embedder gets the same errors as a caller over HTTP. Every method
 * rejects with a KalendsError; anything that belongs to another application is NotFound.
 */

/** On whose behalf a call is made. */
export interface Caller {
  readonly applicationId: string;
  /** The API key that was used, for the audit log; absent when embedded. */
  readonly apiKeyId?: string;
  /** Whether this caller may read credentials. @default true */
  readonly canReadCredentials?: boolean;
}

/** A page of accounts or subscriptions. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly nextPageToken: string | null;
}

/** A page of calendars or events: nextPageToken while pages follow, else nextSyncToken, never both. */
export interface SyncPage<Item> {
  readonly data: readonly Item[];
  readonly nextPageToken?: string;
  readonly nextSyncToken?: string;
  /** Start of the provider request that the mirror reflects, epoch ms. */
  readonly syncedAt: number;
}

export interface WriteRequest {
  /** Value of If-Match: a quoted etag or `*`. */
  readonly ifMatch?: string;
}

export interface AccountService {
  list(caller: Caller, query: AccountListQuery): Promise<Page<EndUserAccount>>;
  get(caller: Caller, accountId: string): Promise<EndUserAccount>;
  /** Refreshes an access token that has less than five minutes left; audited. */
  getCredentials(caller: Caller, accountId: string): Promise<Credentials>;
  /** Creates the account, or replaces the credentials of the one with the same identity. */
  upsert(caller: Caller, body: unknown): Promise<{ readonly account: EndUserAccount; readonly created: boolean }>;
  delete(caller: Caller, accountId: string): Promise<void>;
}

/** Outcome of a browser request of the authorization flow. */
export interface AuthorizationRedirect {
  readonly location: string;
  /** Set-Cookie header values. */
  readonly cookies: readonly string[];
}

export interface AuthorizationService {
  /**
   * First leg: where to send the browser.
   * `providerPath` is the last path segment (the provider's key in lower case).
   * @throws KalendsError InvalidRedirectUrl (show a page, never redirect), NotFound for an unknown application or provider
   */
  begin(
    applicationId: string,
    providerPath: string,
    query: Readonly<Record<string, string>>,
  ): Promise<AuthorizationRedirect>;
  /**
   * The provider's redirect back. Failures of a known flow redirect to the application with `error`,
   * `error_description` and `state`. @throws KalendsError InvalidRequest for an unknown, used or expired state, or a foreign browser
   */
  callback(
    providerPath: string,
    query: Readonly<Record<string, string>>,
    cookieHeader: string | null,
  ): Promise<AuthorizationRedirect>;
}

export interface CalendarService {
  list(caller: Caller, accountId: string, query: CalendarListQuery): Promise<SyncPage<Calendar | DeletedCalendar>>;
  get(caller: Caller, accountId: string, calendarId: string): Promise<Calendar>;
  create(caller: Caller, accountId: string, body: unknown): Promise<Calendar>;
  update(caller: Caller, accountId: string, calendarId: string, body: unknown): Promise<Calendar>;
  delete(caller: Caller, accountId: string, calendarId: string): Promise<void>;
}

export interface EventService {
  list(
    caller: Caller,
    accountId: string,
    calendarId: string,
    query: EventListQuery,
  ): Promise<SyncPage<CalendarEvent | DeletedEvent>>;
  get(
    caller: Caller,
    accountId: string,
    calendarId: string,
    eventId: string,
    query?: EventGetQuery,
  ): Promise<CalendarEvent>;
  listOccurrences(
    caller: Caller,
    accountId: string,
    calendarId: string,
    eventId: string,
    query: OccurrenceListQuery,
  ): Promise<SyncPage<CalendarEvent | DeletedEvent>>;
  create(caller: Caller, accountId: string, calendarId: string, body: unknown): Promise<CalendarEvent>;
  /** An occurrence id changes that occurrence, a series id the whole series. */
  update(
    caller: Caller,
    accountId: string,
    calendarId: string,
    eventId: string,
    body: unknown,
    request?: WriteRequest,
  ): Promise<CalendarEvent>;
  respond(
    caller: Caller,
    accountId: string,
    calendarId: string,
    eventId: string,
    body: unknown,
    request?: WriteRequest,
  ): Promise<void>;
  delete(caller: Caller, accountId: string, calendarId: string, eventId: string, request?: WriteRequest): Promise<void>;
}

export interface FreeBusyService {
  query(caller: Caller, accountId: string, body: unknown): Promise<FreeBusyResult>;
}

export interface SubscriptionService {
  list(caller: Caller, accountId: string, query: SubscriptionListQuery): Promise<Page<WebhookSubscription>>;
  /** The channel at the provider is open (or polling covers for it) when this resolves. */
  create(caller: Caller, accountId: string, body: unknown): Promise<SubscriptionCreated>;
  /** `subscriptionId` is ours, or the provider's when exactly one subscription uses it. */
  delete(caller: Caller, accountId: string, input: unknown): Promise<void>;
}

export interface Application {
  readonly id: string;
  readonly name: string;
  readonly redirectUrls: readonly string[];
  readonly createdAt: string;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly canReadCredentials: boolean;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly createdAt: string;
}

export interface ApplicationService {
  create(input: { readonly name: string; readonly redirectUrls?: readonly string[] }): Promise<Application>;
  find(applicationId: string): Promise<Application | undefined>;
  list(): Promise<readonly Application[]>;
  update(
    applicationId: string,
    patch: { readonly name?: string; readonly redirectUrls?: readonly string[] },
  ): Promise<Application>;
  /** Sets the application's OAuth client at a provider; the secret is sealed. */
  configureProvider(
    applicationId: string,
    providerType: string,
    client: {
      readonly clientId: string;
      readonly clientSecret: string;
      readonly settings?: Readonly<Record<string, string>>;
    },
  ): Promise<{ readonly providerId: string }>;
  /** `key` is shown here and never again. `expiresAt` epoch ms; null: never. */
  createApiKey(
    applicationId: string,
    input: { readonly name: string; readonly expiresAt: number | null; readonly canReadCredentials?: boolean },
  ): Promise<{ readonly key: string; readonly apiKey: ApiKey }>;
  listApiKeys(applicationId: string): Promise<readonly ApiKey[]>;
  revokeApiKey(applicationId: string, keyId: string): Promise<void>;
  /** @throws KalendsError InvalidApiKey for a missing, malformed, unknown, expired or revoked key, the same for all */
  authenticate(key: string | null | undefined): Promise<Caller>;
}

export interface PushService {
  /** Takes a provider's notification: answers at once, marks the collections due. `providerPath` is the provider's key in lower case. */
  receive(providerPath: string, request: Request): Promise<Response>;
}

/** The engine. One per process; any number of processes may share one storage. */
export interface Engine {
  readonly applications: ApplicationService;
  readonly accounts: AccountService;
  readonly authorization: AuthorizationService;
  readonly calendars: CalendarService;
  readonly events: EventService;
  readonly freeBusy: FreeBusyService;
  readonly subscriptions: SubscriptionService;
  readonly push: PushService;
  /** Keys under which providers are registered, in order. */
  readonly providerTypes: readonly string[];
  /** Starts background work (sync, channel upkeep, deliveries). Opens the storage if that has not been done. */
  start(): Promise<void>;
  /** Ends background work, waits for what is in flight, closes the storage. Idempotent. */
  stop(): Promise<void>;
}
