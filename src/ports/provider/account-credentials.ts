import type { ProviderIdentity } from './provider-authorization.ts';

/**
 * Credentials of an account at a provider without OAuth. `serverUrl` is where discovery starts, or, once verified, where the
 * account's calendars are.
 */
export type AccountCredentials =
  /** An app password, sent by HTTP Basic (RFC 7617). */
  | { readonly kind: 'password'; readonly serverUrl: string; readonly username: string; readonly password: string }
  /** A token that the server gave out, sent as bearer (RFC 6750). */
  | { readonly kind: 'bearer'; readonly serverUrl: string; readonly token: string }
  /** An address that is secret by itself, or public: a feed. */
  | { readonly kind: 'url'; readonly url: string };

/** Credentials that have just opened an account. */
export interface VerifiedCredentials {
  /** As to be stored: with the addresses that discovery found. */
  readonly credentials: AccountCredentials;
  readonly identity: ProviderIdentity;
}

/** How accounts of a provider without OAuth sign in. */
export interface CredentialAuthorization {
  readonly kind: 'credentials';
  /** Accepted kinds of credentials. */
  readonly kinds: readonly AccountCredentials['kind'][];
  /** The server of a provider that has one, such as iCloud; the person then names none. */
  readonly serverUrl?: string;
  /**
   * Opens the account with a real request, before anything is stored.
   * @throws ProviderError invalid-grant for credentials that the server refuses; unavailable, timeout or malformed for a server that
   * does not answer as a calendar server; forbidden for an address that must not be asked
   */
  verify(credentials: AccountCredentials, signal: AbortSignal): Promise<VerifiedCredentials>;
}
