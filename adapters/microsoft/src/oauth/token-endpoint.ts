import { type Answer, fetchAnswer, readJsonAnswer, repeatTransient } from '@kalends/provider-transport';
import { type ProviderClient, ProviderError } from 'kalends/ports';
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import type { MicrosoftSettings } from '../options.ts';
import { isIntermittent, readTokenFailure, tokenError } from './token-failure.ts';

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
    readonly signal: AbortSignal | undefined;
  }): Promise<TokenAnswer>;
}

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
  async function post(
    send: (options: oauth.TokenEndpointRequestOptions) => Promise<Response>,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
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

  /** Repeats transient failures. A refresh may be repeated; a code is valid for one answer only. */
  async function obtain(
    send: (options: oauth.TokenEndpointRequestOptions) => Promise<Response>,
    isRepeatable: boolean,
    signal?: AbortSignal,
  ): Promise<TokenAnswer> {
    let hasSecondChance = isRepeatable;

    async function attempt(): Promise<TokenAnswer> {
      const answer = await post(send, signal);
      if (answer.status === 200) return readTokens(answer.text);
      const failure = readTokenFailure(answer, clock.now());
      if (!hasSecondChance || !isIntermittent(failure)) throw tokenError(failure);
      hasSecondChance = false;
      return attempt();
    }

    return repeatTransient(settings, attempt, { effect: isRepeatable ? 'none' : 'twice', signal });
  }

  return {
    exchangeCode({ client, tenant, redirectUri, code, codeVerifier }) {
      const server = serverOf(tenant);
      const application = { client_id: client.clientId };
      return obtain((options) => {
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
      }, false);
    },
    refresh({ client, tenant, refreshToken, signal }) {
      const application = { client_id: client.clientId };
      return obtain(
        (options) =>
          oauth.refreshTokenGrantRequest(
            serverOf(tenant),
            application,
            oauth.ClientSecretPost(client.clientSecret),
            refreshToken,
            { ...options, additionalParameters: { scope: settings.scopes.join(' ') } },
          ),
        true,
        signal,
      );
    },
  };
}

function readTokens(text: string): TokenAnswer {
  const parsed = tokenAnswer.safeParse(readJsonAnswer('the token endpoint', text));
  if (parsed.success) return parsed.data;
  // The issues name places, never values: the error contains no token.
  const places = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
  throw new ProviderError('malformed', `the token endpoint's answer is not as documented, at ${places}`);
}
