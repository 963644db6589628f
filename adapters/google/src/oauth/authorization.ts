import { boundedFetch, readServerTime, repeatTransient } from '@kalends/provider-transport';
import { createRemoteJWKSet, customFetch as jwksFetch, jwtVerify, type RemoteJWKSet } from 'jose';
import {
  type Clock,
  type ProviderAuthorization,
  type ProviderClient,
  ProviderError,
  type TokenGrant,
} from 'kalends/ports';
import { randomHex, systemClock } from 'kalends/runtime';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretPost,
  clockSkew,
  customFetch,
  expectNoState,
  getValidatedIdTokenClaims,
  type IDToken,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { wireCalendar } from '../calendars/calendar-wire.ts';
import type { GoogleSettings } from '../options.ts';
import type { GoogleClient } from '../transport/google-client.ts';
import { serverNamedBy } from './id-token-issuer.ts';
import { missingScopes } from './missing-scopes.ts';
import { oauthFailure, readOAuthError } from './oauth-failure.ts';

/** Scope of the whole Calendar; the scopes of its parts begin with it. */
const WHOLE_CALENDAR = 'https://www.googleapis.com/auth/calendar';
/** Google's default for a token answer without a lifetime. */
const TOKEN_LIFE_SECONDS = 3600;

/**
 * Creates the authorization at Google, an OpenID Connect provider.
 * @see https://developers.google.com/identity/protocols/oauth2/web-server
 */
export function createAuthorization(settings: GoogleSettings, api: GoogleClient): ProviderAuthorization {
  const { oauth: endpoints, scopes, clock } = settings;
  const fetch = boundedFetch(settings);
  const server: AuthorizationServer = {
    issuer: endpoints.issuer,
    authorization_endpoint: endpoints.authorizationUrl,
    token_endpoint: endpoints.tokenUrl,
    revocation_endpoint: endpoints.revocationUrl,
    jwks_uri: endpoints.jwksUrl,
  };
  const keys = createRemoteJWKSet(new URL(endpoints.jwksUrl), {
    [jwksFetch]: fetch,
  });

  const requestOptions = (signal?: AbortSignal) => ({
    [customFetch]: (url: string, init: object) => fetch(url, init),
    [allowInsecureRequests]: new URL(endpoints.tokenUrl).protocol === 'http:',
    ...(signal === undefined ? {} : { signal }),
  });

  /** Google does not rotate refresh tokens: a repeated refresh loses nothing. */
  const repeated = (send: () => Promise<Response>, signal?: AbortSignal): Promise<Response> =>
    repeatTransient(settings, () => answered(send), { effect: 'none', signal });

  async function grantOf(tokens: TokenEndpointResponse, issuer: string): Promise<TokenGrant> {
    return {
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      expiresAt: clock.now() + (tokens.expires_in ?? TOKEN_LIFE_SECONDS) * 1000,
      scopes: tokens.scope?.split(' ').filter((scope) => scope !== ''),
      ...(await identityOf(tokens, { keys, issuer, clock })),
    };
  }

  return {
    kind: 'oauth',
    authorizationUrl: (input) => authorizationUrl(endpoints.authorizationUrl, input.client.scopes ?? scopes, input),

    async exchangeCode({ client, redirectUri, code, codeVerifier, nonce, issuer }) {
      const oauthClient = clientOf(client, clock);
      const redirected = new URLSearchParams({ code, ...(issuer === undefined ? {} : { iss: issuer }) });
      // The caller, which alone knows the state, has checked it.
      const parameters = await accepted(async () =>
        validateAuthResponse(server, oauthClient, redirected, expectNoState),
      );
      const response = await answered(() =>
        authorizationCodeGrantRequest(
          server,
          oauthClient,
          ClientSecretPost(client.clientSecret),
          parameters,
          redirectUri,
          codeVerifier,
          requestOptions(),
        ),
      );
      return accepted(async () => {
        const named = await serverNamedBy(response, server);
        const expected = { expectedNonce: nonce };
        return grantOf(await processAuthorizationCodeResponse(named, oauthClient, response, expected), named.issuer);
      });
    },

    async refresh({ client, refreshToken, signal }) {
      const oauthClient = clientOf(client, clock);
      const authentication = ClientSecretPost(client.clientSecret);
      const request = () =>
        refreshTokenGrantRequest(server, oauthClient, authentication, refreshToken, requestOptions(signal));
      const response = await repeated(request, signal);
      return accepted(async () => {
        const named = await serverNamedBy(response, server);
        return grantOf(await processRefreshTokenResponse(named, oauthClient, response), named.issuer);
      });
    },

    async identify(accessToken) {
      // Each sign-in has a mailbox of its own: one that is throttled must not hold up the others.
      const accountId = `sign-in ${randomHex(settings.random)}`;
      const session = { accountId, email: '', accessToken: async () => accessToken };
      const request = { method: 'GET', path: ['calendars', 'primary'] } as const;
      // The id of a primary calendar is the address of its mailbox, also while its owner has not confirmed a foreign one.
      const { id } = await api.call(session, request, wireCalendar);
      return { providerAccountId: null, email: id, isEmailVerified: false };
    },

    coversCalendars: (granted, client) => coversCalendars(client?.scopes ?? scopes, granted),

    missingScopes,

    readTime: (signal) => readServerTime(settings, endpoints.tokenUrl, signal),

    async revoke({ refreshToken }) {
      try {
        const body = new URLSearchParams({ token: refreshToken });
        await repeated(() => fetch(endpoints.revocationUrl, { method: 'POST', body }));
      } catch (error) {
        // The token is already dead, as requested.
        if (!(ProviderError.isInstance(error) && error.reason === 'invalid-grant')) throw error;
      }
    },
  };
}

function authorizationUrl(
  endpoint: string,
  scopes: readonly string[],
  input: Parameters<ProviderAuthorization['authorizationUrl']>[0],
): string {
  const url = new URL(endpoint);
  const parameters: Readonly<Record<string, string | undefined>> = {
    client_id: input.client.clientId,
    redirect_uri: input.redirectUri,
    response_type: 'code',
    scope: scopes.join(' '),
    state: input.state,
    nonce: input.nonce,
    code_challenge: input.codeChallenge,
    code_challenge_method: 'S256',
    access_type: 'offline',
    include_granted_scopes: 'true',
    prompt: promptOf(input.prompt),
    login_hint: input.loginHint,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}

/**
 * Returns true when every requested calendar scope was granted: users may untick them one by one.
 * @see https://developers.google.com/identity/protocols/oauth2/resources/granular-permissions
 */
function coversCalendars(asked: readonly string[], granted: readonly string[] | undefined): boolean {
  if (granted === undefined || granted.includes(WHOLE_CALENDAR)) return true;
  return asked.filter((scope) => scope.startsWith(WHOLE_CALENDAR)).every((scope) => granted.includes(scope));
}

/** Returns the prompt to send. Without consent Google issues a refresh token at the first authorization only. */
function promptOf(prompt: 'consent' | 'select_account' | 'none' | undefined): string {
  if (prompt === 'none') return 'none';
  return prompt === 'select_account' ? 'select_account consent' : 'consent';
}

/** Creates the client of the library, which reads the real clock: the skew shifts it to ours. */
function clientOf(client: ProviderClient, clock: Clock): Client {
  const skewSeconds = Math.round((clock.now() - systemClock.now()) / 1000);
  return { client_id: client.clientId, [clockSkew]: skewSeconds };
}

async function identityOf(
  tokens: TokenEndpointResponse,
  { keys, issuer, clock }: { readonly keys: RemoteJWKSet; readonly issuer: string; readonly clock: Clock },
): Promise<Pick<TokenGrant, 'identity' | 'providerAccountId'>> {
  const claims: IDToken | undefined = getValidatedIdTokenClaims(tokens);
  if (claims === undefined || tokens.id_token === undefined) return { identity: undefined };
  const verification = { issuer, currentDate: new Date(clock.now()), clockTolerance: 30 };
  await jwtVerify(tokens.id_token, keys, verification);
  const providerAccountId = claims.sub;
  const email = claims['email'];
  // A Google account of a foreign address exists before its owner confirms it: the primary calendar names the mailbox then.
  const isVerified = typeof email === 'string' && claims['email_verified'] === true;
  return { identity: isVerified ? { providerAccountId, email } : undefined, providerAccountId };
}

/** Resolves with an answer that is a success. @throws ProviderError */
async function answered(send: () => Promise<Response>): Promise<Response> {
  const response = await send();
  if (!response.ok) throw oauthFailure(response.status, await readOAuthError(response));
  return response;
}

/** Reads a redirect or token answer. Any fault in it, claims and signature included, makes it malformed. */
async function accepted<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    if (ProviderError.isInstance(cause)) throw cause;
    throw new ProviderError('malformed', 'Google sent an answer that cannot be trusted', { cause });
  }
}
