import type { Caller, Engine } from 'kalends';
import type { Clock } from 'kalends/ports';
import { invalidOption } from '../invalid-option.ts';
import { createAuthorizationServerClient } from './authorization-server.ts';
import { createIntrospection } from './introspection.ts';
import { verifyJwt } from './jwt-tokens.ts';
import { createKeySet } from './key-set.ts';
import type { McpOAuthOptions } from './oauth-options.ts';
import { checkUse, scopesOf, subjectOf, type TokenClaims } from './token-claims.ts';
import { TokenRefusal } from './token-refusal.ts';

/** An OAuth resource server: what it demands of access tokens, and where it says so. @see RFC 9728 */
export interface ResourceServer {
  /** Resolves with the caller that a token stands for. @throws TokenRefusal, KalendsError ProviderUnavailable, Error for options that are wrong */
  admit(token: string): Promise<Caller>;
  /** Answers a request for the metadata of the resource; undefined for any other path. */
  metadata(request: Request): Response | undefined;
  /** Returns the value of `WWW-Authenticate` for a request without a token, or with one that was refused. */
  challenge(refusal?: TokenRefusal): string;
}

/** Clocks of two servers may differ. */
const LEEWAY_SECONDS = 30;
/** @see RFC 6749 §3.3 */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** @throws KalendsError InvalidRequest naming an option that cannot be used */
export function createResourceServer(engine: Engine, options: McpOAuthOptions, clock: Clock): ResourceServer {
  const issuerUrl = secureUrl('oauth.issuer', options.issuer);
  const resourceUrl = secureUrl('oauth.resource', options.resource);
  const { issuer, resource, audience = resource, jwksUrl, introspection, application } = options;
  const { readScope = 'calendars.read', writeScope = 'calendars.write', fetch = globalThis.fetch } = options;
  for (const [name, scope] of Object.entries({ readScope, writeScope })) {
    if (!SCOPE.test(scope)) throw invalidOption(`oauth.${name}`, 'must be a scope: ASCII without spaces and quotes');
  }
  if (jwksUrl !== undefined) secureUrl('oauth.jwksUrl', jwksUrl);
  if (introspection?.url !== undefined) secureUrl('oauth.introspection.url', introspection.url);
  const server = createAuthorizationServerClient(issuerUrl, { fetch, clock });
  const claimsOf = tokenReader();
  const path = resourceUrl.pathname === '/' ? '' : resourceUrl.pathname;
  const metadataUrl = `${resourceUrl.origin}${WELL_KNOWN}${path}`;

  function tokenReader(): (token: string) => Promise<TokenClaims> {
    const checks = { issuer, clock, leewaySeconds: LEEWAY_SECONDS };
    if (introspection !== undefined) return createIntrospection(server, { ...checks, introspection }).claims;
    const keys = createKeySet(async () => jwksUrl ?? (await server.metadata()).jwks_uri ?? '', {
      fetch: server.fetch,
      clock,
    });
    return (token) => verifyJwt(token, { ...checks, keys });
  }

  async function applicationOf(claims: TokenClaims): Promise<string> {
    const id = 'id' in application ? application.id : claims[application.claim];
    const found = typeof id === 'string' && id !== '' ? await engine.applications.find(id) : undefined;
    if (found?.status === 'ACTIVE') return found.id;
    // The token is good: another one would not help.
    if ('id' in application) throw new Error(`the application ${application.id} of the OAuth options is not there`);
    throw new TokenRefusal('invalid_token', 'The token names no application of this server.');
  }

  return {
    async admit(token) {
      const claims = await claimsOf(token);
      checkUse(claims, audience);
      const scopes = scopesOf(claims);
      const mayWrite = scopes.has(writeScope);
      if (!mayWrite && !scopes.has(readScope)) {
        throw new TokenRefusal('insufficient_scope', `The token needs the scope ${readScope} or ${writeScope}.`);
      }
      return {
        applicationId: await applicationOf(claims),
        readOnly: !mayWrite,
        canReadCredentials: false,
        actor: { type: 'embedded', id: `oauth ${subjectOf(claims)}` },
      };
    },

    metadata(request) {
      const { pathname } = new URL(request.url);
      if (pathname !== WELL_KNOWN && pathname !== `${WELL_KNOWN}${path}`) return undefined;
      // Clients in browsers read it: it holds nothing that is not public.
      const headers = { 'access-control-allow-origin': '*', 'cache-control': 'max-age=3600' };
      if (request.method === 'OPTIONS') {
        return new Response(null, { status: 204, headers: { ...headers, 'access-control-allow-headers': '*' } });
      }
      if (request.method !== 'GET') return new Response(null, { status: 405, headers: { allow: 'GET, OPTIONS' } });
      const document = {
        resource,
        authorization_servers: [issuer],
        scopes_supported: [readScope, writeScope],
        bearer_methods_supported: ['header'],
        resource_name: 'kalends calendars',
      };
      return Response.json(document, { headers });
    },

    challenge(refusal) {
      const parameters = {
        realm: 'kalends',
        ...(refusal && { error: refusal.error, error_description: refusal.message }),
        scope: `${readScope} ${writeScope}`,
        resource_metadata: metadataUrl,
      };
      return `Bearer ${Object.entries(parameters)
        .map(([name, value]) => `${name}="${value}"`)
        .join(', ')}`;
    },
  };
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** Reads a URL of https, or of http on the same machine. @throws KalendsError InvalidRequest */
function secureUrl(path: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url !== undefined && isSecure && url.hash === '' && url.username === '') return url;
  throw invalidOption(path, 'must be an https URL, or http on loopback, without a fragment');
}
