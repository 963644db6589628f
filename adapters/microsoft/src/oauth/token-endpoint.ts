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
  }): Promise<TokenAnswer>;
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

  /** Sends the first request and, where it may have asked for too much, the next one. */
  async function postInTurn(
    [request, ...others]: readonly [TokenRequest, ...TokenRequest[]],
    signal: AbortSignal | undefined,
  ): Promise<TokenAnswer> {
    const answer = await post(request, signal);
    if (answer.status === 200) return await readTokens(answer.text);
    const failure = readTokenFailure(answer, clock.now());
    const [next, ...later] = others;
    if (next === undefined || !mayAskTooMuch(failure)) throw tokenError(failure);
    return postInTurn([next, ...later], signal);
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
      return repeatTransient(settings, () => postInTurn([request], undefined), {
        effect: 'harmful',
        signal: undefined,
      });
    },
    refresh({ client, tenant, refreshToken, scopeSets, signal }) {
      const application = { client_id: client.clientId };
      const [first, ...others] = scopeSets.map(
        (scopes): TokenRequest =>
          (options) =>
            oauth.refreshTokenGrantRequest(
              serverOf(tenant),
              application,
              oauth.ClientSecretPost(client.clientSecret),
              refreshToken,
              { ...options, additionalParameters: { scope: scopes.join(' ') } },
            ),
      );
      if (first === undefined) throw new TypeError('a refresh needs scopes');
      return repeatTransient(settings, () => postInTurn([first, ...others], signal), { effect: 'none', signal });
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
