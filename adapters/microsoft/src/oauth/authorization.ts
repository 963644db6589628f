import { readServerTime } from '@kalends/provider-transport';
import type { ProviderAuthorization, ProviderIdentity, ProviderSession, PublicClient, TokenGrant } from 'kalends/ports';
import { ProviderError } from 'kalends/ports';
import { randomHex } from 'kalends/runtime';
import { z } from 'zod';
import type { MicrosoftSettings } from '../options.ts';
import type { GraphClient } from '../transport/graph-client.ts';
import { createIdTokenVerifier, isIssuer } from './id-token.ts';
import { hasCalendarScope, missingScopes, refreshScopeSets, signInScopes, withoutOffline } from './requested-scopes.ts';
import { createTokenEndpoint, type TokenAnswer } from './token-endpoint.ts';

const me = z.object({ mail: z.string().nullish(), userPrincipalName: z.string().nullish() });
const defaultCalendar = z.object({ owner: z.object({ address: z.string().nullish() }).nullish() });

/** Creates sign-in and tokens by the v2.0 endpoints of the Microsoft identity platform. */
export function createAuthorization(settings: MicrosoftSettings, graph: GraphClient): ProviderAuthorization {
  const { loginUrl, scopes, clock } = settings;
  const endpoint = createTokenEndpoint(settings);
  const verify = createIdTokenVerifier(settings);
  const scopesOf = (client: PublicClient): readonly string[] => client.scopes ?? scopes;
  const tenantOf = (client: PublicClient): string => client.settings['tenant'] ?? settings.tenant;

  async function addressesOf(accessToken: string): Promise<Pick<ProviderIdentity, 'email' | 'otherAddresses'>> {
    const session: ProviderSession = {
      accountId: `sign-in ${randomHex(settings.random)}`,
      email: '',
      // A new token that is refused has no replacement.
      accessToken: async () => accessToken,
    };
    const { mail, userPrincipalName: signInName } = await personOfToken(session);
    // Without a mailbox an administrator may set `mail` freely. Sign-in names and mailboxes are in domains that the tenant
    // has proved to own.
    if (mail && sameAddress(mail, signInName)) return { email: mail };
    if (mail && sameAddress(mail, await mailboxOf(session))) {
      return { email: mail, ...(signInName ? { otherAddresses: [signInName] } : {}) };
    }
    const email = signInName || (await mailboxOf(session));
    if (!email) throw new ProviderError('malformed', 'Graph names no address of the signed-in person');
    return { email };
  }

  /** Reads the person; empty without the scope User.Read, which an imported token may lack. */
  async function personOfToken(session: ProviderSession): Promise<z.infer<typeof me>> {
    try {
      const request = { method: 'GET', path: 'me', query: { $select: 'mail,userPrincipalName' } } as const;
      return await graph.call(session, request, me);
    } catch (error) {
      if (ProviderError.isInstance(error) && error.reason === 'forbidden') return {};
      throw error;
    }
  }

  async function mailboxOf(session: ProviderSession): Promise<string | null | undefined> {
    const request = { method: 'GET', path: 'me/calendar', query: { $select: 'id,owner' } } as const;
    return (await graph.call(session, request, defaultCalendar)).owner?.address;
  }

  async function personOf(
    answer: TokenAnswer,
    client: PublicClient,
    nonce: string | undefined,
  ): Promise<string | undefined> {
    if (!answer.id_token) return undefined;
    const claims = await verify({
      idToken: answer.id_token,
      clientId: client.clientId,
      tenant: tenantOf(client),
      nonce,
    });
    return claims.objectId === undefined ? undefined : `${claims.tenantId}.${claims.objectId}`;
  }

  async function grantOf(answer: TokenAnswer, client: PublicClient, nonce: string | undefined): Promise<TokenGrant> {
    return {
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token ?? undefined,
      expiresAt: clock.now() + answer.expires_in * 1000,
      scopes: answer.scope ? answer.scope.split(' ').filter((scope) => scope !== '') : undefined,
      // The administrator of any tenant can set the address claims of an id_token: Graph is asked instead.
      identity: undefined,
      providerAccountId: await personOf(answer, client, nonce),
    };
  }

  return {
    kind: 'oauth',
    authorizationUrl({ client, redirectUri, state, nonce, codeChallenge, prompt, loginHint }) {
      const url = new URL(`${loginUrl}/${encodeURIComponent(tenantOf(client))}/oauth2/v2.0/authorize`);
      const parameters = {
        client_id: client.clientId,
        response_type: 'code',
        response_mode: 'query',
        redirect_uri: redirectUri,
        scope: signInScopes(scopesOf(client), tenantOf(client)).join(' '),
        state,
        nonce,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
        ...(prompt === undefined ? {} : { prompt }),
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
    async exchangeCode({ client, redirectUri, code, codeVerifier, nonce, issuer }) {
      if (issuer !== undefined && !isIssuer(loginUrl, issuer)) {
        throw new ProviderError('malformed', 'the sign-in redirect is of another issuer');
      }
      const answer = await endpoint.exchangeCode({ client, tenant: tenantOf(client), redirectUri, code, codeVerifier });
      if (!answer.id_token) throw new ProviderError('malformed', 'the sign-in gave no id_token');
      return grantOf(answer, client, nonce);
    },
    async refresh({ client, refreshToken, scopes: granted, signal }) {
      const tenant = tenantOf(client);
      const scopeSets = refreshScopeSets(scopesOf(client), tenant, granted);
      const { answer, asked } = await endpoint.refresh({ client, tenant, refreshToken, scopeSets, signal });
      const grant = await grantOf(answer, client, undefined);
      if (asked.join(' ') === scopeSets[0]?.join(' ')) return grant;
      return { ...grant, scopes: grant.scopes ?? withoutOffline(asked), replacesScopes: true };
    },
    // Graph's /me knows the person's object id but not the tenant, so the account id is left open.
    identify: async (accessToken) => ({ providerAccountId: null, ...(await addressesOf(accessToken)) }),
    coversCalendars: (scopes) => scopes === undefined || hasCalendarScope(scopes),
    missingScopes,
    readTime: (signal) => readServerTime(settings, `${settings.loginUrl}/common/oauth2/v2.0/token`, signal),
    // Microsoft has no revocation endpoint: the engine forgets the tokens.
    revoke: async () => undefined,
  };
}

function sameAddress(left: string, right: string | null | undefined): boolean {
  return left.toLowerCase() === right?.toLowerCase();
}
