import type { Actor, Caller, Page } from './callers.ts';
import type {
  ApiKey,
  ApiKeyCreated,
  Application,
  ApplicationListQuery,
  AuditEntry,
  AuditListQuery,
  DeliveryListQuery,
  Diagnosis,
  EndUserAccount,
  MeasurementList,
  MeasurementQuery,
  OAuthClient,
  OAuthClientTest,
  Receiver,
  ReceiverListQuery,
  ReconnectLink,
  RecoverBody,
  RedeliverBody,
  SyncHealth,
  SyncHealthQuery,
  SyncProgress,
  WebhookDelivery,
} from './model/index.ts';

/** Applications, the tenants, and their redirect URLs. `by` is who asks, for the audit log. @default embedded */
export interface ApplicationService {
  create(input: { readonly name: string; readonly redirectUrls?: readonly string[] }, by?: Actor): Promise<Application>;
  find(applicationId: string): Promise<Application | undefined>;
  /** @throws KalendsError NotFound */
  get(applicationId: string): Promise<Application>;
  /** Lists applications, oldest first, those that are being deleted included. */
  list(query?: ApplicationListQuery): Promise<Page<Application>>;
  /** Changes what it names; `redirectUrls` replaces the whole list. @throws KalendsError NotFound */
  update(
    applicationId: string,
    patch: { readonly name?: string; readonly redirectUrls?: readonly string[] },
    by?: Actor,
  ): Promise<Application>;
  /** Adds `{ url }` at the end of the list; without effect when it is there. @throws KalendsError NotFound */
  addRedirectUrl(applicationId: string, body: { readonly url: string }, by?: Actor): Promise<Application>;
  /**
   * Ends an application: its keys are refused at once. Background work then deletes its accounts (as `accounts.delete`), its
   * endpoints and itself; until then its status is DELETING. Idempotent. @throws KalendsError NotFound
   */
  delete(applicationId: string, by?: Actor): Promise<void>;
  /** Removes `{ url }` from the list. @throws KalendsError NotFound, also when the list does not have it */
  removeRedirectUrl(applicationId: string, body: { readonly url: string }, by?: Actor): Promise<Application>;
}

/** The OAuth clients of applications: one for each provider. `by` is who asks, for the audit log. @default embedded */
export interface OAuthClientService {
  /**
   * Sets the application's OAuth client at a provider; the secret is sealed.
   * @throws KalendsError NotFound, or InvalidRequest naming `scopes` and those that are missing for calendars
   */
  set(
    applicationId: string,
    providerType: string,
    client: {
      readonly clientId: string;
      readonly clientSecret: string;
      /** Provider-specific settings, such as `tenant` for Microsoft. */
      readonly settings?: Readonly<Record<string, string>>;
      /** Scopes that sign-ins ask for. @default the provider's own */
      readonly scopes?: readonly string[] | null;
      /** When the secret ends at the provider, ISO 8601: `kalends doctor` warns before. */
      readonly secretExpiresAt?: string | null;
    },
    by?: Actor,
  ): Promise<OAuthClient>;
  /** @throws KalendsError NotFound */
  get(applicationId: string, providerType: string): Promise<OAuthClient>;
  list(applicationId: string): Promise<{ readonly data: readonly OAuthClient[] }>;
  /**
   * Asks the provider's token endpoint whether it accepts the client, without an account. `message` says what it objected to and
   * how to mend it. @throws KalendsError NotFound
   */
  test(applicationId: string, providerType: string, by?: Actor): Promise<OAuthClientTest>;
  /** @throws KalendsError NotFound, or Conflict while accounts are connected under it */
  remove(applicationId: string, providerType: string, by?: Actor): Promise<void>;
}

/** The API keys of applications. `by` is who asks, for the audit log. @default embedded */
export interface ApiKeyService {
  /**
   * Creates an API key; `key` is returned only here. `expiresAt` is a date or time (ISO 8601), a number of days such as `90d`,
   * or null for never. A `readOnly` key may only read.
   */
  create(
    applicationId: string,
    input: {
      readonly name: string;
      readonly expiresAt: string | null;
      readonly readOnly?: boolean;
      readonly canReadCredentials?: boolean;
    },
    by?: Actor,
  ): Promise<ApiKeyCreated>;
  list(applicationId: string): Promise<{ readonly data: readonly ApiKey[] }>;
  /** Ends a key: from the next request on it is refused. @throws KalendsError NotFound */
  revoke(applicationId: string, keyId: string, by?: Actor): Promise<void>;
  /** @throws KalendsError InvalidApiKey, the same error for a missing, malformed, unknown, expired or revoked key */
  authenticate(key: string | null | undefined): Promise<Caller>;
}

/** The audit log: who changed applications, clients, keys, accounts and secrets, and who read credentials. */
export interface AuditService {
  /** Lists entries, newest first. */
  list(query?: AuditListQuery): Promise<Page<AuditEntry>>;
}

/** Result of the step after a restore. */
export interface RestoreReport {
  /** Accounts that were resumed. */
  readonly accounts: number;
  /** Their calendars. */
  readonly calendars: number;
  /** Accounts that were not, by reason; absent when all were. Repeat the step for them once their databases can serve them. */
  readonly failures?: readonly RestoreFailure[];
}

/** Accounts that the step after a restore has left out for one reason. */
export interface RestoreFailure {
  /** Of one database the first reason stands for all. */
  readonly reason: string;
  readonly accounts: number;
  /** Ids of the first fifty. */
  readonly accountIds: readonly string[];
}

/**
 * Operations of operators on an application's accounts and receivers. Every id is looked up within the application: another one's is
 * NotFound. `by` is who asks, for the audit log. @default embedded
 */
export interface OperationsService {
  /**
   * Returns the state of an account's sync, collection by collection. `since` of a sync that was begun adds its progress.
   * @throws KalendsError NotFound
   */
  getSyncHealth(applicationId: string, accountId: string, query?: SyncHealthQuery): Promise<SyncHealth>;
  /**
   * Makes every collection of the account due now, for the background work of any process, and resolves with the progress at
   * its beginning. Read it on with `getSyncHealth` and its `since`. A cool-down after throttling holds.
   * @throws KalendsError NotFound, or InvalidRefreshToken for an EXPIRED account
   */
  sync(applicationId: string, accountId: string, by?: Actor): Promise<SyncProgress>;
  /**
   * Expires an account as if the provider had ended its grant: it keeps its mirror, and works again once it is reconnected. The
   * grant itself is not revoked. Idempotent. @throws KalendsError NotFound
   */
  expire(applicationId: string, accountId: string, by?: Actor): Promise<EndUserAccount>;
  /**
   * Returns a URL of the authorization flow that reconnects this mailbox: it names the mailbox and the externalId, and returns to
   * the application's first redirect URL. @throws KalendsError NotFound, or Conflict naming the setting that is missing
   */
  createReconnectLink(applicationId: string, accountId: string, by?: Actor): Promise<ReconnectLink>;
  /** Lists subscriptions and endpoints of the application, oldest first. Their URLs are masked. */
  listReceivers(applicationId: string, query?: ReceiverListQuery): Promise<Page<Receiver>>;
  /** Lists the delivery attempts of the last 30 days, newest first. @throws KalendsError NotFound */
  listDeliveries(applicationId: string, receiverId: string, query?: DeliveryListQuery): Promise<Page<WebhookDelivery>>;
  /** Sends a message again under the same id. @throws KalendsError NotFound, or Conflict when the receiver is disabled */
  redeliver(applicationId: string, receiverId: string, body: RedeliverBody, by?: Actor): Promise<void>;
  /**
   * Sends all failed or retrying messages created since a time again.
   * @throws KalendsError NotFound, or Conflict when the receiver is disabled
   */
  recover(
    applicationId: string,
    receiverId: string,
    body: RecoverBody,
    by?: Actor,
  ): Promise<{ readonly recovered: number }>;
  /**
   * Checks the running system: database, secrets, public URL and push address, clocks, tz data, OAuth clients, and the host's own
   * checks. Each has ten seconds, and they run side by side. Works before `start`, and never rejects for a finding. The tests of
   * clients are in the audit log.
   */
  diagnose(by?: Actor): Promise<Diagnosis>;
  /**
   * Returns what all processes have measured, in steps: requests, provider calls, pulls, deliveries, and the work that was due.
   * It is kept for 48 hours; a process stores every 15 seconds.
   */
  listMeasurements(query?: MeasurementQuery): Promise<MeasurementList>;
  /**
   * To be called once after the database was restored from a backup: makes every collection of all ACTIVE accounts due, and tells
   * every subscriber once that changes may have been missed (`calendar.event.unknown`). Accounts whose database cannot serve them
   * are left out, and counted in the report. Safe to interrupt and repeat.
   */
  resumeAfterRestore(
    options?: { readonly signal?: AbortSignal; readonly progress?: (report: RestoreReport) => void },
    by?: Actor,
  ): Promise<RestoreReport>;
  /** Enables a disabled receiver, as `enable` of subscriptions and endpoints does. @throws KalendsError NotFound */
  enableReceiver(applicationId: string, receiverId: string, by?: Actor): Promise<Receiver>;
}
