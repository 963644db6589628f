/** An application's OAuth client at the provider. */
export interface ProviderClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Provider-specific settings, such as `tenant` for Microsoft. */
  readonly settings: Readonly<Record<string, string>>;
  /** Scopes to ask for; null or absent for the provider's own. */
  readonly scopes?: readonly string[] | null;
}

/** An OAuth client without its secret. */
export type PublicClient = Omit<ProviderClient, 'clientSecret'>;

/** Tokens from the provider's token endpoint. */
export interface TokenGrant {
  readonly accessToken: string;
  /** Undefined when the answer had none; the stored one stays. */
  readonly refreshToken: string | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Undefined when the answer named none. */
  readonly scopes: readonly string[] | undefined;
  /**
   * The provider refused a refresh with the scopes on record, and granted `scopes` instead: these take their place, so that the
   * next refresh asks for them at once. @default false
   */
  readonly replacesScopes?: boolean;
  /** From a verified id_token; undefined without one, or when the provider does not vouch for its address. */
  readonly identity: ProviderIdentity | undefined;
  /** From a verified id_token that vouches for the person but not the address; `identify` supplies the address. */
  readonly providerAccountId?: string | undefined;
}

export interface ProviderIdentity {
  readonly providerAccountId: string | null;
  /** The mailbox's address by the provider itself, never a claim that another tenant's administrator can set. */
  readonly email: string;
  /**
   * Further addresses of the mailbox that the provider proves as it proves `email`, such as another sign-in name. A `loginHint` may
   * name one. @default none
   */
  readonly otherAddresses?: readonly string[];
  /**
   * Whether the provider vouches that the person owns the address. One that it does not vouch for joins no account of another or of
   * an unknown person, changes no stored address, and proves no `loginHint`. @default true
   */
  readonly isEmailVerified?: boolean;
}

/** How accounts of a provider with OAuth 2.0 sign in. */
export interface ProviderAuthorization {
  readonly kind: 'oauth';
  /** Returns the URL to send the browser to, which asks for the client's scopes. `codeChallenge` is PKCE S256. */
  authorizationUrl(input: {
    readonly client: PublicClient;
    readonly redirectUri: string;
    readonly state: string;
    readonly nonce: string;
    readonly codeChallenge: string;
    readonly prompt: 'consent' | 'select_account' | 'none' | undefined;
    readonly loginHint: string | undefined;
  }): string;
  /**
   * Exchanges the code and verifies the id_token and its nonce. `issuer` is the `iss` of the provider's redirect; a foreign one
   * means that the code is another server's, which must not reach the token endpoint (RFC 9207 §2.4).
   * @throws ProviderError invalid-grant for a bad code, operator for a bad client, malformed for a foreign issuer or id_token
   */
  exchangeCode(input: {
    readonly client: ProviderClient;
    readonly redirectUri: string;
    readonly code: string;
    readonly codeVerifier: string;
    readonly nonce: string;
    /** Undefined when the redirect had none. */
    readonly issuer?: string | undefined;
  }): Promise<TokenGrant>;
  /**
   * Refreshes the access token. `scopes` are those on record for the account, empty or undefined when unknown; a provider that
   * names scopes in a refresh asks for no others. The signal ends all attempts.
   * @throws ProviderError invalid-grant for a dead refresh token
   */
  refresh(input: {
    readonly client: ProviderClient;
    readonly refreshToken: string;
    readonly scopes?: readonly string[] | undefined;
    readonly signal?: AbortSignal;
  }): Promise<TokenGrant>;
  /** Asks the provider for the token's owner (primary calendar, `/me`) when the grant named none. */
  identify(accessToken: string): Promise<ProviderIdentity>;
  /**
   * Returns whether the granted scopes cover calendars; users can deselect them on the consent page. `scopes` is undefined
   * when the answer named none; `client` is the one that asked for them.
   */
  coversCalendars(scopes: readonly string[] | undefined, client?: Pick<ProviderClient, 'scopes'>): boolean;
  /**
   * Returns the scopes to add to a client's own, so that a sign-in names the person and calendars can be read; empty when nothing
   * is missing. Pure.
   */
  missingScopes(scopes: readonly string[]): readonly string[];
  /**
   * Reads the clock of the provider from the Date header of its token endpoint, without credentials: epoch milliseconds, null when the
   * answer has none. For diagnosis. @throws ProviderError when it cannot be reached
   */
  readTime?(signal: AbortSignal): Promise<number | null>;
  /** Revokes the grant; without effect where the provider has no such endpoint. */
  revoke(input: { readonly client: ProviderClient; readonly refreshToken: string }): Promise<void>;
}
