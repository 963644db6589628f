import { createRemoteJWKSet, customFetch as jwksFetch, jwtVerify, type RemoteJWKSet } from 'jose';
import {
  type Clock,
  type Fetch,
  type ProviderAuthorization,
  type ProviderClient,
  ProviderError,
  type Random,
  type TokenGrant,
} from 'kalends/ports';
import { retry, systemClock, withJoinedSignals } from 'kalends/runtime';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretPost,
  clockSkew,
  customFetch,
  getValidatedIdTokenClaims,
  type IDToken,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  skipStateCheck,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import type { GoogleOAuthEndpoints } from './endpoints.ts';
import { oauthRefusal, readOAuthError } from './oauth-errors.ts';
import { backoffMs, type RetryOptions, type Transport, unanswered } from './transport.ts';
import { wireCalendar } from './wire.ts';

export interface AuthorizationOptions {
  readonly endpoints: GoogleOAuthEndpoints;
  readonly scopes: readonly string[];
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly retry: RetryOptions;
  readonly timeoutMs: number;
  readonly transport: Transport;
}

/** The scope of everything in Calendar; those of its parts begin with it. */
const WHOLE_CALENDAR = 'https://www.googleapis.com/auth/calendar';
/** Google's default for a token answer that does not say how long it holds. */
const TOKEN_LIFE_SECONDS = 3600;

/** Google as an OpenID Connect provider. @see https://developers.google.com/identity/protocols/oauth2/web-server */
export function createAuthorization(options: AuthorizationOptions): ProviderAuthorization {
  const { endpoints, clock } = options;
  const server: AuthorizationServer = {
    issuer: endpoints.issuer,
    authorization_endpoint: endpoints.authorizationUrl,
    token_endpoint: endpoints.tokenUrl,
    revocation_endpoint: endpoints.revocationUrl,
    jwks_uri: endpoints.jwksUrl,
  };
  const keys = createRemoteJWKSet(new URL(endpoints.jwksUrl), {
    [jwksFetch]: (url, init) => options.fetch(url, init),
    timeoutDuration: options.timeoutMs,
  });

  const requestOptions = (signal?: AbortSignal) => ({
    [customFetch]: (url: string, init: object) => options.fetch(url, init),
    [allowInsecureRequests]: new URL(endpoints.tokenUrl).protocol === 'http:',
    signal: AbortSignal.any([AbortSignal.timeout(options.timeoutMs), ...(signal === undefined ? [] : [signal])]),
  });

  async function grantOf(tokens: TokenEndpointResponse): Promise<TokenGrant> {
    return {
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      expiresAt: clock.now() + (tokens.expires_in ?? TOKEN_LIFE_SECONDS) * 1000,
      scopes: tokens.scope?.split(' ').filter((scope) => scope !== ''),
      ...(await identityOf(tokens, { keys, issuer: endpoints.issuer, clock })),
    };
  }

  return {
    authorizationUrl: (input) => authorizationUrl(endpoints.authorizationUrl, options.scopes, input),

    async exchangeCode({ client, redirectUri, code, codeVerifier, nonce }) {
      const oauthClient = clientOf(client, clock);
      const response = await answered(() =>
        authorizationCodeGrantRequest(
          server,
          oauthClient,
          ClientSecretPost(client.clientSecret),
          validateAuthResponse(server, oauthClient, new URLSearchParams({ code }), skipStateCheck),
          redirectUri,
          codeVerifier,
          requestOptions(),
        ),
      );
      return accepted(async () =>
        grantOf(await processAuthorizationCodeResponse(server, oauthClient, response, { expectedNonce: nonce })),
      );
    },

    async refresh({ client, refreshToken, signal }) {
      const oauthClient = clientOf(client, clock);
      const authentication = ClientSecretPost(client.clientSecret);
      return withJoinedSignals([signal], async (givenUp) => {
        const request = () =>
          refreshTokenGrantRequest(server, oauthClient, authentication, refreshToken, requestOptions(givenUp));
        const response = await repeated(options, request, givenUp);
        return accepted(async () => grantOf(await processRefreshTokenResponse(server, oauthClient, response)));
      });
    },

    async identify(accessToken) {
      const session = { accountId: '', email: '', accessToken: async () => accessToken };
      const request = { method: 'GET', path: ['calendars', 'primary'] } as const;
      // The id of a primary calendar is the address of its mailbox.
      const { id } = await options.transport.call(session, request, wireCalendar);
      return { providerAccountId: null, email: id };
    },

    coversCalendars: (granted) => coversCalendars(options.scopes, granted),

    async revoke({ refreshToken }) {
      try {
        await repeated(options, () => postToken(options, refreshToken));
      } catch (error) {
        // A token that is dead already is what was asked for.
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
 * Whether each calendar scope that is asked for was granted: people may untick them one by one.
 * @see https://developers.google.com/identity/protocols/oauth2/resources/granular-permissions
 */
function coversCalendars(asked: readonly string[], granted: readonly string[] | undefined): boolean {
  if (granted === undefined || granted.includes(WHOLE_CALENDAR)) return true;
  return asked.filter((scope) => scope.startsWith(WHOLE_CALENDAR)).every((scope) => granted.includes(scope));
}

/** Without consent Google gives a refresh token at the first authorization only, and then never again. */
function promptOf(prompt: 'consent' | 'select_account' | 'none' | undefined): string {
  if (prompt === 'none') return 'none';
  return prompt === 'select_account' ? 'select_account consent' : 'consent';
}

/** The library reads the real clock; the skew makes it see ours. */
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
  // Google accounts of foreign addresses exist before their owner has confirmed them: the primary calendar tells then.
  const isVerified = typeof email === 'string' && claims['email_verified'] === true;
  return { identity: isVerified ? { providerAccountId, email } : undefined, providerAccountId };
}

/** Sends once; every failure is a ProviderError. */
async function answered(send: () => Promise<Response>, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await send();
  } catch (cause) {
    throw unanswered(cause, signal).error;
  }
  if (!response.ok) throw oauthRefusal(response.status, await readOAuthError(response));
  return response;
}

/** Sends again after throttles and outages: Google does not rotate refresh tokens, so that nothing is lost. */
function repeated(
  options: AuthorizationOptions,
  send: () => Promise<Response>,
  signal?: AbortSignal,
): Promise<Response> {
  return retry(() => answered(send, signal), {
    clock: options.clock,
    signal,
    attempts: options.retry.retries + 1,
    shouldRetry: (error) =>
      signal?.aborted !== true &&
      ProviderError.isInstance(error) &&
      (error.reason === 'unavailable' || error.reason === 'rate-limited'),
    delayMs: (failed, error) => backoffMs(options, error as ProviderError, failed),
  });
}

/** Reads a token answer; whatever is wrong with it, claims and signature included, is a malformed answer. */
async function accepted<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    if (ProviderError.isInstance(cause)) throw cause;
    throw new ProviderError('malformed', 'Google gave a token answer that cannot be trusted', { cause });
  }
}

function postToken(options: AuthorizationOptions, token: string): Promise<Response> {
  return options.fetch(options.endpoints.revocationUrl, {
    method: 'POST',
    body: new URLSearchParams({ token }),
    signal: AbortSignal.timeout(options.timeoutMs),
  });
}
