import type {
  ApiKeyService,
  ApplicationService,
  AuditService,
  OAuthClientService,
  OperationsService,
} from './administration-interface.ts';
import type { AuthorizationService } from './authorization-interface.ts';
import type { AvailabilityService, FreeBusyService } from './availability-interface.ts';
import type { Caller, Page } from './callers.ts';
import type { DataKeyService } from './data-key-interface.ts';
import type { FeedService } from './feed-interface.ts';
import type { BookingService, HoldService } from './hold-interface.ts';
import type { ImportService } from './import-interface.ts';
import type {
  AccountListQuery,
  AccountUpsert,
  Activity,
  Calendar,
  CalendarCreate,
  CalendarEvent,
  CalendarListQuery,
  CalendarUpdate,
  Credentials,
  DeletedCalendar,
  DeletedEvent,
  DeliveryListQuery,
  EditScope,
  EndUserAccount,
  EventAttachmentList,
  EventCreate,
  EventDescription,
  EventDescriptionQuery,
  EventGetQuery,
  EventListQuery,
  EventUpdate,
  NotifyAttendees,
  OccurrenceListQuery,
  RecoverBody,
  RedeliverBody,
  RsvpBody,
  SecretRotated,
  SubscriptionCreate,
  SubscriptionCreated,
  SubscriptionListQuery,
  UnreadableListQuery,
  UnreadableObject,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointCreated,
  WebhookEndpointListQuery,
  WebhookSubscription,
} from './model/index.ts';
import type { Telemetry } from './ports/index.ts';

export type {
  ApiKeyService,
  ApplicationService,
  AuditService,
  OAuthClientService,
  OperationsService,
  RestoreFailure,
  RestoreReport,
} from './administration-interface.ts';
export type { AuthorizationRedirect, AuthorizationService, SignInForm } from './authorization-interface.ts';
export type { AvailabilityService, FreeBusyService } from './availability-interface.ts';
export type { Actor, Caller, Page } from './callers.ts';
export type {
  DataKeyService,
  KeyringState,
  RewrapReport,
  SecretState,
  UnopenedDataKey,
} from './data-key-interface.ts';
export type { FeedService } from './feed-interface.ts';
export type { BookingService, HoldService } from './hold-interface.ts';

export type { ImportService } from './import-interface.ts';

/**
 * The engine's interface: one service for each resource of `/v1`. Services validate their inputs themselves (the HTTP
 * binding passes bodies and queries unchanged), so that an embedder gets the same errors as a caller over HTTP. Every
 * method rejects with a KalendsError; a record of another application is NotFound.
 */

/** A query of a list as it is now. Changes since a sync token have deleted records too, on each of their pages. */
export type PresentQuery<Query> = Query & { readonly syncToken?: undefined };

/** A page of calendars or events: nextPageToken while pages follow, else nextSyncToken, never both. */
export interface SyncPage<Item> {
  readonly data: readonly Item[];
  readonly nextPageToken?: string;
  readonly nextSyncToken?: string;
  /** Revision of a calendar's events beside nextSyncToken, as messages with records name it. */
  readonly revision?: string;
  /** Digest of a calendar's events beside nextSyncToken, where the list was asked for it. */
  readonly digest?: string;
  /** With `verify`: whether the digest that sync results have advanced to was `digest`, which comes from a full read. */
  readonly isVerified?: boolean;
  /** Start of the provider request that the mirror reflects, epoch ms. */
  readonly syncedAt: number;
  /** Longest time between two background polls: how old the mirror can become unread. Null without polls. */
  readonly pollEveryMs: number | null;
  /** Weak entity tag: pages of one list with equal tags hold the same records and equivalent tokens. */
  readonly etag: string;
}

/** Bytes that a Response takes: `Uint8Array` for TypeScript up to 5.6, which has no type parameter there, then `Uint8Array<ArrayBuffer>`. */
export type ResponseBytes = ReturnType<Uint8ArrayConstructor['of']>;

/** A page serialized as JSON in UTF-8: `data` and a token, as in SyncPage. */
export interface PageJson {
  readonly json: ResponseBytes;
  readonly syncedAt: number;
  readonly pollEveryMs: number | null;
  readonly etag: string;
}

/** A calendar as iCalendar text (RFC 5545). */
export interface CalendarExport {
  /** Name of the calendar. */
  readonly name: string;
  /** Changes with each change of the text. */
  readonly etag: string;
  readonly syncedAt: number;
  readonly pollEveryMs: number | null;
  /** The text in parts, which are read as they are asked for: once, and no more than a few events ahead. */
  readonly text: AsyncIterable<string>;
}

/** A write that may send mail. */
export interface NotifyRequest {
  /**
   * Recipients of the provider's mail about the write. Left out, attendees get mail about a change of what they see, and about
   * no other. @throws KalendsError UnsupportedByProvider naming `notifyAttendees`, where mail cannot be withheld
   */
  readonly notifyAttendees?: NotifyAttendees | undefined;
}

export interface WriteRequest extends NotifyRequest {
  /** Value of If-Match: a quoted etag or `*`. */
  readonly ifMatch?: string;
}

/** A write to an event that may be one of a series. */
export interface EditRequest extends WriteRequest {
  /**
   * Reach of a write to an occurrence: itself (the default), itself and all later ones, or its whole series. For a series
   * or a single event it is `all`.
   */
  readonly scope?: EditScope | undefined;
}

export interface CreateRequest {
  /**
   * Value of Idempotency-Key, 1 to 255 printable ASCII characters. A repetition with the same key and body within 24 hours
   * resolves with the record that the first request created, in the state of its creation.
   */
  readonly idempotencyKey?: string;
}

/** Creation of an event. The Idempotency-Key stands for `notifyAttendees` too. */
export interface EventCreateRequest extends CreateRequest, NotifyRequest {}

export interface AccountService {
  list(caller: Caller, query?: AccountListQuery): Promise<Page<EndUserAccount>>;
  get(caller: Caller, accountId: string): Promise<EndUserAccount>;
  /** Lists what the provider sent for the account and cannot be read. Empty in a healthy account. */
  listUnreadable(caller: Caller, accountId: string, query?: UnreadableListQuery): Promise<Page<UnreadableObject>>;
  /** Returns the credentials; refreshes an access token with less than five minutes left. Each call is audited. */
  getCredentials(caller: Caller, accountId: string): Promise<Credentials>;
  /** Creates the account, or replaces the credentials of the account with the same identity. */
  upsert(caller: Caller, body: AccountUpsert): Promise<{ readonly account: EndUserAccount; readonly created: boolean }>;
  delete(caller: Caller, accountId: string): Promise<void>;
}

export interface CalendarService {
  /** Lists calendars. Deleted ones are in answers to a syncToken alone. */
  list(caller: Caller, accountId: string, query?: PresentQuery<CalendarListQuery>): Promise<SyncPage<Calendar>>;
  list(caller: Caller, accountId: string, query?: CalendarListQuery): Promise<SyncPage<Calendar | DeletedCalendar>>;
  get(caller: Caller, accountId: string, calendarId: string): Promise<Calendar>;
  /** @throws KalendsError IdempotencyKeyReused for a key used before with another body */
  create(caller: Caller, accountId: string, body: CalendarCreate, request?: CreateRequest): Promise<Calendar>;
  update(caller: Caller, accountId: string, calendarId: string, body: CalendarUpdate): Promise<Calendar>;
  delete(caller: Caller, accountId: string, calendarId: string): Promise<void>;
}

export interface EventService {
  /** Lists events. Deleted ones are in answers to a syncToken alone, where `isDeleted` tells them apart. */
  list(
    caller: Caller,
    accountId: string,
    calendarId: string,
    query?: PresentQuery<EventListQuery>,
  ): Promise<SyncPage<CalendarEvent>>;
  list(
    caller: Caller,
    accountId: string,
    calendarId: string,
    query?: EventListQuery,
  ): Promise<SyncPage<CalendarEvent | DeletedEvent>>;
  /** Returns the page of `list` serialized, for a binding that sends it on. Cheaper; repeated pages are cached. */
  listJson(caller: Caller, accountId: string, calendarId: string, query: EventListQuery): Promise<PageJson>;
  get(
    caller: Caller,
    accountId: string,
    calendarId: string,
    eventId: string,
    query?: EventGetQuery,
  ): Promise<CalendarEvent>;
  /** Lists the occurrences of a series, as `list` does. */
  listOccurrences(
    caller: Caller,
    accountId: string,
    calendarId: string,
    eventId: string,
    query: PresentQuery<OccurrenceListQuery>,
  ): Promise<SyncPage<CalendarEvent>>;
  listOccurrences(
    caller: Caller,
    accountId: string,
    calendarId: string,
    eventId: string,
    query: OccurrenceListQuery,
  ): Promise<SyncPage<CalendarEvent | DeletedEvent>>;
  /**
   * Returns all events of a calendar as iCalendar, each series whole with its exceptions, as they are in the mirror now.
   * @throws KalendsError CalendarSyncing until the calendar is mirrored
   */
  export(caller: Caller, accountId: string, calendarId: string): Promise<CalendarExport>;
  /** Returns the attachments of an event, a series or an occurrence, read from the provider now. */
  listAttachments(caller: Caller, accountId: string, calendarId: string, eventId: string): Promise<EventAttachmentList>;
  /** Returns the description of an event, a series or an occurrence as HTML or text, read from the provider now. */
  getDescription(
    caller: Caller,
    accountId: string,
    calendarId: string,
    eventId: string,
    query?: EventDescriptionQuery,
  ): Promise<EventDescription>;
  /** @throws KalendsError IdempotencyKeyReused for a key used before with another body */
  create(
    caller: Caller,
    accountId: string,
    calendarId: string,
    body: EventCreate,
    request?: EventCreateRequest,
  ): Promise<CalendarEvent>;
  /**
   * Checks a new event as `create` does before it sends anything, and writes nothing. The provider may refuse it all the same.
   * @throws KalendsError InvalidRequest, UnsupportedByProvider, CalendarReadOnly and others of `create`
   */
  check(
    caller: Caller,
    accountId: string,
    calendarId: string,
    body: EventCreate,
    request?: NotifyRequest,
  ): Promise<void>;
  /**
   * Changes one occurrence (an occurrence id) or the whole series (a series id); see `scope`. Resolves with the written
   * record: with `all` its series, with `following` the new series that begins with it.
   */
  update(
    caller: Caller,
    accountId: string,
    calendarId: string,
    eventId: string,
    body: EventUpdate,
    request?: EditRequest,
  ): Promise<CalendarEvent>;
  respond(
    caller: Caller,
    accountId: string,
    calendarId: string,
    eventId: string,
    body: RsvpBody,
    request?: WriteRequest,
  ): Promise<void>;
  delete(caller: Caller, accountId: string, calendarId: string, eventId: string, request?: EditRequest): Promise<void>;
}

export interface SubscriptionService {
  list(caller: Caller, accountId: string, query?: SubscriptionListQuery): Promise<Page<WebhookSubscription>>;
  /** Resolves once the channel at the provider is open, or polling replaces it. */
  create(caller: Caller, accountId: string, body: SubscriptionCreate): Promise<SubscriptionCreated>;
  /** Accepts our subscription id, or the provider's when exactly one subscription uses it. */
  delete(caller: Caller, accountId: string, input: { readonly subscriptionId: string }): Promise<void>;
  /** Lists the delivery attempts of the last 30 days, newest first. */
  listDeliveries(
    caller: Caller,
    accountId: string,
    subscriptionId: string,
    query?: DeliveryListQuery,
  ): Promise<Page<WebhookDelivery>>;
  /** Sends a message again under the same id. @throws KalendsError Conflict when the subscription is disabled */
  redeliver(caller: Caller, accountId: string, subscriptionId: string, body: RedeliverBody): Promise<void>;
  /** Sends all failed or retrying messages created since a time again. @throws KalendsError Conflict when it is disabled */
  recover(
    caller: Caller,
    accountId: string,
    subscriptionId: string,
    body: RecoverBody,
  ): Promise<{ readonly recovered: number }>;
  /** Creates a new secret, returned only here. The secret before it, and up to three before that, sign messages too for 24 hours each. */
  rotateSecret(caller: Caller, accountId: string, subscriptionId: string): Promise<SecretRotated>;
  /** Enables a disabled subscription and sends it one `calendar.event.unknown`. */
  enable(caller: Caller, accountId: string, subscriptionId: string): Promise<WebhookSubscription>;
}

/** Published feeds, for holders of their addresses. */
export interface PublicFeedService {
  /**
   * Returns a feed by the secret in its address.
   * @throws KalendsError NotFound, the same whatever is wrong with the secret
   */
  read(secret: string): Promise<PublicFeed>;
}

/** A feed as iCalendar text. */
export interface PublicFeed extends Pick<CalendarExport, 'etag' | 'text'> {
  readonly name: string;
}

/** Endpoints that receive the application's messages about its accounts. */
export interface WebhookEndpointService {
  list(caller: Caller, query?: WebhookEndpointListQuery): Promise<Page<WebhookEndpoint>>;
  /** Creates an endpoint; `endpointSecret` is returned only here. */
  create(caller: Caller, body: WebhookEndpointCreate): Promise<WebhookEndpointCreated>;
  delete(caller: Caller, endpointId: string): Promise<void>;
  /** Lists the delivery attempts of the last 30 days, newest first. */
  listDeliveries(caller: Caller, endpointId: string, query?: DeliveryListQuery): Promise<Page<WebhookDelivery>>;
  /** Sends a message again under the same id. @throws KalendsError Conflict when the endpoint is disabled */
  redeliver(caller: Caller, endpointId: string, body: RedeliverBody): Promise<void>;
  /** Sends all failed or retrying messages created since a time again. @throws KalendsError Conflict when it is disabled */
  recover(caller: Caller, endpointId: string, body: RecoverBody): Promise<{ readonly recovered: number }>;
  /** Creates a new secret, returned only here. The secret before it, and up to three before that, sign messages too for 24 hours each. */
  rotateSecret(caller: Caller, endpointId: string): Promise<SecretRotated>;
  /** Enables a disabled endpoint and sends the messages that waited for it. */
  enable(caller: Caller, endpointId: string): Promise<WebhookEndpoint>;
}

/** Outcome of a provider's request to our notification address. */
export interface PushReceipt {
  /** The answer, the same for genuine and forged notifications. */
  readonly response: Response;
  /** Number of notifications with the token of a channel. */
  readonly genuine: number;
  /** Number of notifications without one; counting stops at 50. */
  readonly forged: number;
}

export interface PushService {
  /**
   * Receives a provider's notifications. Resolves as soon as they are verified; the named collections become due afterwards. `providerPath` is the provider's key in lower case.
   */
  receive(providerPath: string, request: Request): Promise<PushReceipt>;
}

/** Rows of one column of a table. */
export interface ErasureTrace {
  readonly table: string;
  readonly column: string;
  readonly rows: number;
}

/** Result of a search for what a deleted account has left. */
export interface ErasureReport {
  /** Whether nothing is left: there are no traces and no rows without an owner. */
  readonly isErased: boolean;
  /** Columns that contain the account's id or one of the texts. */
  readonly traces: readonly ErasureTrace[];
  /** Rows of accounts that do not exist. */
  readonly ownerless: readonly ErasureTrace[];
  /** Columns that keep the account's id, which names no person, for the audit log. */
  readonly kept: readonly ErasureTrace[];
  /** Columns of ciphertext, which no search can look into; their rows are removed with their owners. */
  readonly sealed: readonly ErasureTrace[];
}

export interface ErasureService {
  /**
   * Searches every text of every table for an account's id and for texts of the person, such as e-mail addresses, in any case, also
   * within JSON and URLs. Reads the whole database. Table names have the prefix `kalends_`.
   * @throws KalendsError InvalidRequest without anything to search for
   */
  verify(person: { readonly accountId?: string; readonly texts?: readonly string[] }): Promise<ErasureReport>;
}

/** The activity of this process as it happens: notifications, pulls, messages, deliveries, statuses of accounts, audit entries. */
export interface ActivityService {
  /**
   * Calls the listener with each activity of this process, until the returned function is called or the engine stops. Other
   * processes of the storage have activities of their own. Of what the storage keeps, a listener hears after the commit, so that it
   * can read it.
   *
   * Calls are synchronous and hold up the work that they tell of: a listener hands on what takes time. One that throws is logged,
   * and harms nothing. Activities carry ids, names and numbers; no secrets, and nothing of a person but ids.
   *
   * @param options.ended is called once when the engine stops; at once for an engine that has stopped
   *
   * @example
   * const stop = engine.activity.subscribe((activity) => {
   *   if (activity.type === 'delivery.attempted' && activity.outcome !== 'delivered') console.warn(activity.receiverId);
   * });
   */
  subscribe(listener: (activity: Activity) => void, options?: { readonly ended?: () => void }): () => void;
}

/** The engine. One per process; any number of processes may share one storage. */
export interface Engine {
  readonly applications: ApplicationService;
  readonly oauthClients: OAuthClientService;
  readonly apiKeys: ApiKeyService;
  readonly audit: AuditService;
  readonly operations: OperationsService;
  readonly accounts: AccountService;
  readonly authorization: AuthorizationService;
  readonly calendars: CalendarService;
  readonly events: EventService;
  readonly freeBusy: FreeBusyService;
  readonly availability: AvailabilityService;
  readonly holds: HoldService;
  readonly bookings: BookingService;
  readonly subscriptions: SubscriptionService;
  readonly webhookEndpoints: WebhookEndpointService;
  readonly feeds: FeedService;
  readonly imports: ImportService;
  readonly publicFeeds: PublicFeedService;
  readonly push: PushService;
  readonly dataKeys: DataKeyService;
  readonly erasure: ErasureService;
  readonly activity: ActivityService;
  /** Keys of the registered providers, in order. */
  readonly providerTypes: readonly string[];
  /** Those among them whose accounts sign in by OAuth, so that an application needs an OAuth client for them. */
  readonly oauthProviderTypes: readonly string[];
  /** Keeps what bindings measure, such as `createHandler`, for `operations.listMeasurements`. The host's telemetry is not told. */
  readonly telemetry: Telemetry;
  /** Opens the storage if needed and starts background work (sync, channel upkeep, deliveries). Calls made meanwhile wait for it. */
  start(options?: {
    /** False leaves background work to other processes on the same storage. @default true */
    readonly background?: boolean;
  }): Promise<void>;
  /** Waits for work and calls in flight, but not for pulls, and closes the storage. Later calls reject with InternalError (503). Idempotent. */
  stop(): Promise<void>;
}
