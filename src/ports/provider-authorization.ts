/** An application's OAuth client at the provider. */
export interface ProviderClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Provider-specific settings, such as `tenant` for Microsoft. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Tokens as the provider's token endpoint gave them. */
export interface TokenGrant {
  readonly accessToken: string;
  /** Undefined when the answer had none: the stored one stays. */
  readonly refreshToken: string | undefined;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Undefined when the answer did not say. */
  readonly scopes: readonly string[] | undefined;
  /** From a verified id_token; undefined when the answer had none, or none whose address the provider vouches for. */
  readonly identity: ProviderIdentity | undefined;
  /** From a verified id_token that vouches for the person but not for the address: `identify` is asked for that. */
  readonly providerAccountId?: string | undefined;
}

export interface ProviderIdentity {
  readonly providerAccountId: string | null;
  /** The mailbox as the provider itself vouches for it: never a claim that somebody else's administrator can set. */
  readonly email: string;
}

export interface ProviderAuthorization {
  /** The URL to send the browser to. `codeChallenge` is PKCE S256. */
  authorizationUrl(input: {
    readonly client: ProviderClient;
    readonly redirectUri: string;
    readonly state: string;
    readonly nonce: string;
    readonly codeChallenge: string;
    readonly prompt: 'consent' | 'select_account' | 'none' | undefined;
    readonly loginHint: string | undefined;
  }): string;
  /** @throws ProviderError invalid-grant for a bad code, operator for a bad client; verifies the id_token and its nonce */
  exchangeCode(input: {
    readonly client: ProviderClient;
    readonly redirectUri: string;
    readonly code: string;
    readonly codeVerifier: string;
    readonly nonce: string;
  }): Promise<TokenGrant>;
  /** The signal ends the attempt, its repetitions included. @throws ProviderError invalid-grant when the refresh token is dead */
  refresh(input: {
    readonly client: ProviderClient;
    readonly refreshToken: string;
    readonly signal?: AbortSignal;
  }): Promise<TokenGrant>;
  /** Asks the provider whose token it is (primary calendar, `/me`), when the grant did not say. */
  identify(accessToken: string): Promise<ProviderIdentity>;
  /**
   * Whether the granted scopes reach calendars: people may leave them out on the consent page. Undefined scopes are those of
   * an answer that named none.
   */
  coversCalendars(scopes: readonly string[] | undefined): boolean;
  /** Revokes the grant; resolves without effect where the provider has no such endpoint. */
  revoke(input: { readonly client: ProviderClient; readonly refreshToken: string }): Promise<void>;
}
