import type { AccountStatus, MessageType } from '../../model/index.ts';
import type { AccountCredentials } from '../provider/account-credentials.ts';
import type { AuditRow } from './audit-store.ts';
import type { CreationKey } from './creation-key.ts';

export interface AccountRow {
  readonly id: string;
  readonly applicationId: string;
  readonly providerType: string;
  /** The application's OAuth client; null for an account of a provider without OAuth. */
  readonly providerConfigId: string | null;
  readonly providerAccountId: string | null;
  readonly email: string;
  /**
   * Whether the e-mail is the person's: any number of accounts with a providerAccountId may have the same one that is not. Absent when it
   * is. @default true
   */
  readonly isEmailVerified?: boolean;
  readonly externalId: string | null;
  readonly authorizedScopes: readonly string[];
  readonly status: AccountStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface StoredCredential {
  readonly id: string;
  readonly applicationId: string;
  readonly accountId: string;
  readonly wrappedKey: string;
  readonly status: 'ACTIVE' | 'EXPIRED' | 'REVOKED';
  /** Raised by every change of the secrets: the comparand of compare-and-set. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Tokens of an account with OAuth. */
export interface TokenRow extends StoredCredential {
  readonly kind: 'oauth';
  readonly sealedAccessToken: string;
  readonly sealedRefreshToken: string;
  /** Expiry of the access token. */
  readonly expiresAt: number;
}

/** Credentials of an account without OAuth: sealed JSON of `AccountCredentials`. They have no expiry. */
export interface SignInRow extends StoredCredential {
  readonly kind: AccountCredentials['kind'];
  readonly sealedCredentials: string;
}

export type CredentialRow = TokenRow | SignInRow;

/** A message about an account, for each enabled endpoint of its application. */
export interface AccountNotice {
  readonly eventType: MessageType;
  readonly timestamp: number;
  /** JSON text of the body's `data`. */
  readonly data: string;
  readonly messageId: () => string;
}

/**
 * Returns the messages about a change, by the rows before and after it (undefined: no row). Called within the transaction.
 */
export type AnnounceAccount = (
  before: AccountRow | undefined,
  after: AccountRow | undefined,
) => readonly AccountNotice[];

/** Returns the audit entry of a change, as `AnnounceAccount` returns its messages. */
export type AuditAccount = (before: AccountRow | undefined, after: AccountRow | undefined) => AuditRow;

/**
 * Stores accounts and their credentials. Messages that `announce` returns, and the entry that `audit` returns, are written in the
 * transaction of the change.
 */
export interface AccountStore {
  find(applicationId: string, accountId: string): Promise<AccountRow | undefined>;
  /** Finds by providerAccountId, else by a verified e-mail, without regard to case. */
  findByIdentity(
    applicationId: string,
    providerType: string,
    identity: { readonly providerAccountId: string | null; readonly email: string },
  ): Promise<AccountRow | undefined>;
  /**
   * Whether any application has an ACTIVE account of this person, by providerAccountId or e-mail, that was connected under an OAuth
   * client with this id. The client may be that of several applications.
   */
  hasGrant(grant: {
    readonly providerType: string;
    readonly clientId: string;
    readonly providerAccountId: string | null;
    readonly email: string;
  }): Promise<boolean>;
  /** Ascending by creation. `search` is a substring of email or externalId in any case: ß is ss, final ς is σ, and İ and ı are i. */
  list(
    applicationId: string,
    input: {
      readonly search?: string;
      readonly status?: AccountStatus;
      readonly providerType?: string;
      /** Exactly, by its bytes. */
      readonly externalId?: string;
      readonly after?: CreationKey;
      readonly limit: number;
    },
  ): Promise<readonly AccountRow[]>;
  /** Counts an application's accounts. */
  count(applicationId: string): Promise<number>;
  /**
   * Writes account and credentials together; an account of the same id is replaced (createdAt and the credentials' id and
   * createdAt stay, the credentials' version goes up by one). Resolves false, writing nothing, when another account of the
   * application has the same providerType and verified e-mail or providerAccountId: read it and try again. E-mails are
   * compared without regard to case.
   * @throws KalendsError Conflict when the id is another application's, NotFound when there is no such application, or its deletion has
   * begun and the account is new
   */
  save(
    account: AccountRow,
    credential: CredentialRow,
    announce?: AnnounceAccount,
    audit?: AuditAccount,
  ): Promise<boolean>;
  findCredential(applicationId: string, accountId: string): Promise<CredentialRow | undefined>;
  /**
   * Replaces the tokens of an account with OAuth if the version is still `expectedVersion` (it goes up by one); false otherwise. With
   * `authorizedScopes`, those of the account are replaced too, with its `updatedAt`, in the same transaction.
   */
  replaceTokens(
    applicationId: string,
    accountId: string,
    expectedVersion: number,
    tokens: {
      readonly sealedAccessToken: string;
      readonly sealedRefreshToken: string;
      readonly expiresAt: number;
      readonly updatedAt: number;
      readonly authorizedScopes?: readonly string[];
    },
    announce?: AnnounceAccount,
  ): Promise<boolean>;
  /** Replaces the credentials of an account without OAuth, within their kind, as `replaceTokens` replaces tokens. */
  replaceCredentials(
    applicationId: string,
    accountId: string,
    expectedVersion: number,
    credentials: Pick<SignInRow, 'sealedCredentials' | 'updatedAt'>,
  ): Promise<boolean>;
  /**
   * Marks account and credentials EXPIRED if the credentials' version is still `expectedVersion` and the account is ACTIVE.
   * Of any number of concurrent callers exactly one gets true.
   */
  expire(
    applicationId: string,
    accountId: string,
    expectedVersion: number,
    at: number,
    announce?: AnnounceAccount,
    audit?: AuditAccount,
  ): Promise<boolean>;
  /**
   * Removes the account with everything that belongs to it (credentials, mirror, schedule, channels, subscriptions, messages), and
   * the feeds that have no other account's calendars. Its lease `account:{id}` ends, also while it is held.
   */
  delete(applicationId: string, accountId: string, announce?: AnnounceAccount, audit?: AuditAccount): Promise<boolean>;
}
