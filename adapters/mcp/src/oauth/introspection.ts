import { createHash } from 'node:crypto';
import type { Clock } from 'kalends/ports';
import { isRecent } from 'kalends/runtime';
import { ClientSecretBasic, introspectionRequest, processIntrospectionResponse } from 'oauth4webapi';
import { type AuthorizationServerClient, unavailable } from './authorization-server.ts';
import type { McpOAuthOptions } from './oauth-options.ts';
import type { TokenClaims } from './token-claims.ts';
import { TokenRefusal } from './token-refusal.ts';

/** An answer is used for this time: an agent sends several requests at once. A revoked token ends after it. */
const REMEMBERED_MS = 10_000;
const MOST_REMEMBERED = 1_000;

export interface Introspection {
  /** Resolves with the claims of an active token. @throws TokenRefusal, KalendsError ProviderUnavailable */
  claims(token: string): Promise<TokenClaims>;
}

/** Asks an authorization server about tokens. @see RFC 7662 */
export function createIntrospection(
  server: AuthorizationServerClient,
  options: {
    readonly issuer: string;
    readonly introspection: NonNullable<McpOAuthOptions['introspection']>;
    readonly clock: Clock;
    readonly leewaySeconds: number;
  },
): Introspection {
  const { issuer, introspection, clock, leewaySeconds } = options;
  const { clientId, clientSecret, url } = introspection;
  const client = { client_id: clientId };
  const asked = new Map<string, Promise<TokenClaims>>();
  /** Apart: forged tokens, of which there may be many, would evict the answers about those of agents. */
  const [active, refused] = [createAnswers(clock), createAnswers(clock)];

  async function ask(token: string): Promise<TokenClaims> {
    const metadata = url === undefined ? await server.metadata() : { issuer, introspection_endpoint: url };
    try {
      const authentication = ClientSecretBasic(clientSecret);
      const { requestOptions } = server;
      const response = await introspectionRequest(metadata, client, authentication, token, requestOptions);
      return await processIntrospectionResponse(metadata, client, response);
    } catch (error) {
      throw unavailable(error);
    }
  }

  function answerTo(token: string): Promise<TokenClaims> {
    const name = createHash('sha256').update(token).digest('base64');
    const known = active.find(name) ?? refused.find(name);
    if (known !== undefined) return Promise.resolve(known);
    const answer = asked.get(name) ?? askOnce(name, token);
    asked.set(name, answer);
    return answer;
  }

  async function askOnce(name: string, token: string): Promise<TokenClaims> {
    const at = clock.now();
    try {
      const claims = await ask(token);
      (claims.active === true ? active : refused).add(name, { at, claims });
      return claims;
    } finally {
      asked.delete(name);
    }
  }

  return {
    async claims(token) {
      const claims = await answerTo(token);
      const { active: isActive, iss, exp, nbf, token_type } = claims;
      const seconds = clock.now() / 1_000;
      const isOver = typeof exp === 'number' && exp + leewaySeconds <= seconds;
      const isEarly = typeof nbf === 'number' && nbf - leewaySeconds > seconds;
      if (isActive !== true || isOver || isEarly) {
        throw new TokenRefusal('invalid_token', 'The token is not active: it has expired, or was revoked.');
      }
      if (iss !== undefined && iss !== issuer) throw new TokenRefusal('invalid_token', 'The token has another issuer.');
      if (typeof token_type === 'string' && token_type.toLowerCase() === 'dpop') {
        throw new TokenRefusal('invalid_token', 'The token is bound to a key, and is no bearer token.');
      }
      return claims;
    },
  };
}

interface Answer {
  /** When it was asked for. */
  readonly at: number;
  readonly claims: TokenClaims;
}

/** Remembers answers by the hash of their token, the oldest first. */
function createAnswers(clock: Clock) {
  const remembered = new Map<string, Answer>();
  return {
    find(name: string): TokenClaims | undefined {
      const known = remembered.get(name);
      return known !== undefined && isRecent(clock, known.at, REMEMBERED_MS) ? known.claims : undefined;
    },
    add(name: string, answer: Answer): void {
      remembered.delete(name);
      remembered.set(name, answer);
      const [oldest] = remembered.keys();
      if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    },
  };
}
