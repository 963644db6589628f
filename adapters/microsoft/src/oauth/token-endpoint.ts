import { type Answer, fetchAnswer, readJsonAnswer, repeatTransient } from '@kalends/provider-transport';
import { type ProviderClient, ProviderError } from 'kalends/ports';
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { MicrosoftSettings } from '../options.ts';
import { mayAskTooMuch, readTokenFailure, tokenError } from './token-failure.ts';

const tokenAnswer = z.object({
  access_token: z.string().min(1),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.coerce.number().positive(),
  refresh_token: z.string().min(1).nullish(),
  scope: z.string().nullish(),
  id_token: z.string().nullish(),
});

/** Tokens of a token answer. */
export type TokenAnswer = z.infer<typeof tokenAnswer>;

interface TokenEndpoint {
  /** @throws ProviderError */
  exchangeCode(input: {
    readonly client: ProviderClient;
    readonly tenant: string;
    readonly redirectUri: string;
    readonly code: string;
    readonly codeVerifier: string;
  }): Promise<TokenAnswer>;
  /** @throws ProviderError */
  refresh(input: {
    readonly client: ProviderClient;
    readonly tenant: string;
    readonly refreshToken: string;
    /** Scope sets to ask for in turn, each after the one before it was refused. */
    readonly scopeSets: readonly (readonly string[])[];
    readonly signal: AbortSignal | undefined;
  }): Promise<RefreshAnswer>;
}

interface RefreshAnswer {
  readonly answer: TokenAnswer;
  /** The scope set that was not refused. */
  readonly asked: readonly string[];
}

type TokenRequest = (options: oauth.TokenEndpointRequestOptions) => Promise<Response>;

export function createTokenEndpoint(settings: MicrosoftSettings): TokenEndpoint {
  const { loginUrl, clock } = settings;

  function serverOf(tenant: string): oauth.AuthorizationServer {
    const base = `${loginUrl}/${encodeURIComponent(tenant)}`;
    return { issuer: `${base}/v2.0`, token_endpoint: `${base}/oauth2/v2.0/token` };
  }

  /**
   * Sends the library's request within our bounds. The answer is read here, where `error_codes` decide.
   * @throws ProviderError
   */
  async function post(send: TokenRequest, signal: AbortSignal | undefined): Promise<Answer> {
    let answer: Answer | undefined;
    try {
      await send({
        [oauth.allowInsecureRequests]: loginUrl.startsWith('http:'),
        [oauth.customFetch]: async (url, init) => {
          answer = await fetchAnswer(settings, url, init as RequestInit, signal);
          return new Response(null, { status: 204 });
        },
      });
    } catch (error) {
      if (ProviderError.isInstance(error)) throw error;
      if (signal?.aborted) throw signal.reason;
      throw new ProviderError('invalid', 'the token request could not be made', { cause: error });
    }
    if (answer === undefined) throw new TypeError('the token request was not sent');
    return answer;
  }

  /** Asks for the first scope set and, where that may have been too much, for the next one. */
  async function refreshInTurn(
    send: (scopes: readonly string[]) => TokenRequest,
    [asked = [], ...others]: readonly (readonly string[])[],
    signal: AbortSignal | undefined,
  ): Promise<RefreshAnswer> {
    const answer = await post(send(asked), signal);
    if (answer.status === 200) return { answer: await readTokens(answer.text), asked };
    const failure = readTokenFailure(answer, clock.now());
    if (others.length === 0 || !mayAskTooMuch(failure)) throw tokenError(failure);
    return refreshInTurn(send, others, signal);
  }

  async function exchange(request: TokenRequest): Promise<TokenAnswer> {
    const answer = await post(request, undefined);
    if (answer.status === 200) return await readTokens(answer.text);
    throw tokenError(readTokenFailure(answer, clock.now()));
  }

  return {
    exchangeCode({ client, tenant, redirectUri, code, codeVerifier }) {
      const server = serverOf(tenant);
      const application = { client_id: client.clientId };
      const request: TokenRequest = (options) => {
        // The caller, which alone knows the state, has checked it.
        const parameters = oauth.validateAuthResponse(
          server,
          application,
          new URLSearchParams({ code }),
          oauth.expectNoState,
        );
        const authentication = oauth.ClientSecretPost(client.clientSecret);
        return oauth.authorizationCodeGrantRequest(
          server,
          application,
          authentication,
          parameters,
          redirectUri,
          codeVerifier,
          options,
        );
      };
      // A code is valid for one answer only.
      return repeatTransient(settings, () => exchange(request), {
        effect: 'harmful',
        signal: undefined,
      });
    },
    refresh({ client, tenant, refreshToken, scopeSets, signal }) {
      const application = { client_id: client.clientId };
      const send =
        (scopes: readonly string[]): TokenRequest =>
        (options) =>
          oauth.refreshTokenGrantRequest(
            serverOf(tenant),
            application,
            oauth.ClientSecretPost(client.clientSecret),
            refreshToken,
            { ...options, additionalParameters: { scope: scopes.join(' ') } },
          );
      return repeatTransient(settings, () => refreshInTurn(send, scopeSets, signal), { effect: 'none', signal });
    },
  };
}

async function readTokens(text: string): Promise<TokenAnswer> {
  const parsed = tokenAnswer.safeParse(await readJsonAnswer('the token endpoint', text));
  if (parsed.success) return parsed.data;
  // The issues name places, never values: the error contains no token.
  const places = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw new ProviderError('malformed', `the token endpoint's answer is not as documented, at ${places}`);
}
