import type {
  AccountListQuery,
  Calendar,
  CalendarEvent,
  CalendarListQuery,
  Credentials,
  DeletedCalendar,
  DeletedEvent,
  DeliveryListQuery,
  EditScope,
  EndUserAccount,
  EventGetQuery,
  EventListQuery,
  FreeBusyResult,
  OccurrenceListQuery,
  SecretRotated,
  SubscriptionCreated,
  SubscriptionListQuery,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointCreated,
  WebhookEndpointListQuery,
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
  /** Weak entity tag: pages of one list with equal tags hold the same records, and tokens that are good for the same. */
  readonly etag: string;
}

/** A page as the bytes of its JSON: `data` and a token, as in SyncPage. */
export interface PageJson {
  readonly json: Uint8Array<ArrayBuffer>;
  readonly syncedAt: number;
  readonly etag: string;
}

export interface WriteRequest {
  /** Value of If-Match: a quoted etag or `*`. */
  readonly ifMatch?: string;
}

/** A write to an event that may be one of a series. */
export interface EditRequest extends WriteRequest {
  /**
   * What a write to an occurrence reaches: itself (the default), itself and all later ones, or its whole series. For a series
   * or a single event it is `all`.
   */
  readonly scope?: EditScope;
}

export interface CreateRequest {
  /**
   * Value of Idempotency-Key, 1 to 255 printable ASCII characters: who creates again with the same key and body within 24
   * hours gets what the first request created, as it was created.
   */
  readonly idempotencyKey?: string;
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
  /** The flow ended with an error that is not ours or the provider's. */
  readonly isRefused: boolean;
}

export interface AuthorizationService {
  /**
   * First leg: where to send the browser.
   * `providerPath` is the last path segment (the provider's key in lower case). `cookieHeader` is the request's Cookie
   * header: of the flows that a browser has under way, the oldest beyond eight are given up.
   * @throws KalendsError InvalidRedirectUrl (show a page, never redirect), NotFound for an unknown application or
   * provider, InvalidRequest for a state of more than 1,024 characters
   */
  begin(
    applicationId: string,
    providerPath: string,
    query: Readonly<Record<string, string>>,
    cookieHeader: string | null,
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
  /** @throws KalendsError IdempotencyKeyReused for a key that came with another body */
  create(caller: Caller, accountId: string, body: unknown, request?: CreateRequest): Promise<Calendar>;
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
  /** The page that `list` resolves with, printed: for a binding that sends it on. Cheaper, and more so when asked again. */
  listJson(caller: Caller, accountId: string, calendarId: string, query: EventListQuery): Promise<PageJson>;
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
  /** @throws KalendsError IdempotencyKeyReused for a key that came with another body */
  create(
    caller: Caller,
    accountId: string,
    calendarId: string,
    body: unknown,
    request?: CreateRequest,
  ): Promise<CalendarEvent>;
  /**
   * An occurrence id changes that occurrence, a series id the whole series; see `scope`. Resolves with what was written: the
   * record, with `all` its series, with `following` the new series that begins with it.
   */
  update(
    caller: Caller,
    accountId: string,
    calendarId: string,
    eventId: string,
    body: unknown,
    request?: EditRequest,
  ): Promise<CalendarEvent>;
  respond(
    caller: Caller,
    accountId: string,
    calendarId: string,
    eventId: string,
    body: unknown,
    request?: WriteRequest,
  ): Promise<void>;
  delete(caller: Caller, accountId: string, calendarId: string, eventId: string, request?: EditRequest): Promise<void>;
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
  /** Attempts of the last 30 days, newest first. */
  listDeliveries(
    caller: Caller,
    accountId: string,
    subscriptionId: string,
    query: DeliveryListQuery,
  ): Promise<Page<WebhookDelivery>>;
  /** Sends a message again, under its id. @throws KalendsError Conflict when the subscription is disabled */
  redeliver(caller: Caller, accountId: string, subscriptionId: string, body: unknown): Promise<void>;
  /** Sends again what was made since a time and is dead or waits for a retry. @throws KalendsError Conflict when it is disabled */
  recover(
    caller: Caller,
    accountId: string,
    subscriptionId: string,
    body: unknown,
  ): Promise<{ readonly recovered: number }>;
  /** A new secret, shown here and never again; the old one signs as well for 24 hours. */
  rotateSecret(caller: Caller, accountId: string, subscriptionId: string): Promise<SecretRotated>;
  /** Enables a disabled subscription, which gets one `calendar.event.unknown`. */
  enable(caller: Caller, accountId: string, subscriptionId: string): Promise<WebhookSubscription>;
}

/** Endpoints of the application, which get the messages about its accounts. */
export interface WebhookEndpointService {
  list(caller: Caller, query: WebhookEndpointListQuery): Promise<Page<WebhookEndpoint>>;
  /** `endpointSecret` is shown here and never again. */
  create(caller: Caller, body: unknown): Promise<WebhookEndpointCreated>;
  delete(caller: Caller, endpointId: string): Promise<void>;
  /** Attempts of the last 30 days, newest first. */
  listDeliveries(caller: Caller, endpointId: string, query: DeliveryListQuery): Promise<Page<WebhookDelivery>>;
  /** Sends a message again, under its id. @throws KalendsError Conflict when the endpoint is disabled */
  redeliver(caller: Caller, endpointId: string, body: unknown): Promise<void>;
  /** Sends again what was made since a time and is dead or waits for a retry. @throws KalendsError Conflict when it is disabled */
  recover(caller: Caller, endpointId: string, body: unknown): Promise<{ readonly recovered: number }>;
  /** A new secret, shown here and never again; the old one signs as well for 24 hours. */
  rotateSecret(caller: Caller, endpointId: string): Promise<SecretRotated>;
  /** Enables a disabled endpoint: what waited for it is sent. */
  enable(caller: Caller, endpointId: string): Promise<WebhookEndpoint>;
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

/** A provider's request to our notification address, read. */
export interface PushReceipt {
  /** The answer, the same for genuine and forged notifications. */
  readonly response: Response;
  /** Notifications that carried the token of a channel. */
  readonly genuine: number;
  /** Notifications that did not; counting stops at 50. */
  readonly forged: number;
}

export interface PushService {
  /**
   * Takes a provider's notifications. Resolves as soon as they are verified; the collections that they name become due
   * afterwards. `providerPath` is the provider's key in lower case.
   */
  receive(providerPath: string, request: Request): Promise<PushReceipt>;
}

/** What a data key that does not open is for: one of `accountId`, `providerType` and `targetId` is there. */
export interface UnopenedDataKey {
  readonly applicationId: string;
  /** It seals the credentials of this account. */
  readonly accountId?: string;
  /** It seals the client secret of the application at this provider. */
  readonly providerType?: string;
  /** It seals the signing secret of this subscription or endpoint. */
  readonly targetId?: string;
  readonly reason: string;
}

/** What became of the data keys. Those that were removed meanwhile are not counted. */
export interface RewrapReport {
  /** Wrapped under the current secret by this call. */
  readonly rewrapped: number;
  /** Under the current secret already. */
  readonly current: number;
  /** Sealed under a secret that is not configured, or altered: left as they are. */
  readonly unopened: number;
  /** The first fifty of these. */
  readonly unopenedKeys: readonly UnopenedDataKey[];
}

/**
 * The data keys of the whole storage, all applications: each account's credentials, each OAuth client and each webhook
 * secret is sealed under one, which in turn is wrapped under the engine's secret.
 */
export interface DataKeyService {
  /**
   * Wraps every data key under the current secret that is under a previous one; what they seal is not touched. May be broken off,
   * repeated and run by any number of processes, beside all other work. An engine with `previousSecrets` does so by itself
   * in the background.
   */
  rewrap(options?: {
    /** Between pages of a hundred keys. @default 0 */
    readonly pauseMs?: number;
    readonly signal?: AbortSignal;
    /** Told after each page what has been done so far. */
    readonly progress?: (report: RewrapReport) => void;
  }): Promise<RewrapReport>;
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
  readonly webhookEndpoints: WebhookEndpointService;
  readonly push: PushService;
  readonly dataKeys: DataKeyService;
  /** Keys under which providers are registered, in order. */
  readonly providerTypes: readonly string[];
  /** Starts background work (sync, channel upkeep, deliveries). Opens the storage if that has not been done. */
  start(options?: {
    /** False: this process answers calls, and leaves the background to others on the same storage. @default true */
    readonly background?: boolean;
  }): Promise<void>;
  /** Ends background work, waits for what is in flight, closes the storage. Idempotent. */
  stop(): Promise<void>;
}
