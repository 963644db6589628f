import { createHash } from 'node:crypto';
import type { ProviderClients } from '../applications/index.ts';
import { FLOW } from '../audit/index.ts';
import type { AuthorizationRedirect, AuthorizationService } from '../engine-interface.ts';
import { invalid } from '../errors.ts';
import { type AuthorizeQuery, authorizeQuery, parseInput } from '../model/index.ts';
import { KalendsError, type OAuthProvider, type Storage } from '../ports/index.ts';
import { type AccountConnection, identifyGrant, normalMailbox } from './account-connection.ts';
import { type AuthorizationFlow, digestOf, flowSecret } from './authorization-flow.ts';
import { type BrowserFlows, invalidRedirectUrl, refusal } from './browser-flows.ts';
import { isOAuth, type ProviderRegistry, providerPathOf } from './provider-registry.ts';
import { type AuthorizationFailure, providerRefusal } from './redirect-back.ts';
import type { SignInCheck } from './sign-in-check.ts';
import { createSignInFlow } from './sign-in-flow.ts';

interface AuthorizationDependencies {
  readonly storage: Pick<Storage, 'applications'>;
  readonly registry: ProviderRegistry;
  readonly clients: ProviderClients;
  readonly connection: AccountConnection;
  readonly signIns: SignInCheck;
  readonly flows: BrowserFlows;
  /** Without a trailing slash. */
  readonly publicUrl: string | undefined;
}

/** The browser's way through a provider's OAuth 2.0 flow, spec §4.2, or through our own page for a provider without OAuth. */
export function createAuthorizationService(dependencies: AuthorizationDependencies): AuthorizationService {
  const { storage, registry, clients, connection, flows, publicUrl } = dependencies;
  const callbackUrl = (providerType: string) => `${publicUrl}/v1/oauth/callback/${providerPathOf(providerType)}`;

  const newFlow = (applicationId: string, providerType: string, redirectUrl: string, query: AuthorizeQuery) => ({
    applicationId,
    providerType,
    redirectUrl: digestOf(redirectUrl),
    loginHint: query.loginHint === undefined ? null : digestOf(normalMailbox(query.loginHint)),
    externalId: query.externalId ?? null,
    state: query.state ?? null,
  });

  /** Seals the flow into the state and sends the browser to the provider. */
  const sendToProvider = async (
    { authorization }: OAuthProvider,
    flow: ReturnType<typeof newFlow>,
    query: AuthorizeQuery,
    cookieHeader: string | null,
  ): Promise<AuthorizationRedirect> => {
    const { applicationId, providerType } = flow;
    const client = await clients.findPublic(applicationId, providerType);
    if (client === undefined) {
      throw new KalendsError('NotFound', 'The application has no OAuth client configured for this provider.');
    }
    const begun = flows.begin(flow, cookieHeader);
    const location = authorization.authorizationUrl({
      client,
      redirectUri: callbackUrl(providerType),
      state: begun.state,
      nonce: flowSecret(begun.flow, 'nonce'),
      codeChallenge: sha256(flowSecret(begun.flow, 'verifier')).toString('base64url'),
      // Only the consent page gives a refresh token for sure. Nothing stored decides: flows are
      // open to everyone and must not tell which mailboxes are connected.
      prompt: query.prompt ?? 'consent',
      loginHint: query.loginHint,
    });
    return { location, cookies: begun.cookies, isRefused: false };
  };

  /** Seals the flow into the state and sends the browser to our own page. */
  const sendToSignIn = (
    flow: ReturnType<typeof newFlow>,
    { loginHint }: AuthorizeQuery,
    cookieHeader: string | null,
  ): AuthorizationRedirect => {
    const { state, cookies } = flows.begin(flow, cookieHeader);
    const query = new URLSearchParams({ state, ...(loginHint === undefined ? {} : { loginHint }) });
    const location = `${publicUrl}/v1/oauth/signIn/${providerPathOf(flow.providerType)}?${query}`;
    return { location, cookies, isRefused: false };
  };

  /** Turns the provider's code into an account. @throws what failureOf knows */
  const complete = async (
    flow: AuthorizationFlow,
    provider: OAuthProvider,
    { code, issuer }: { readonly code: string; readonly issuer: string | undefined },
  ): Promise<string | AuthorizationFailure> => {
    const { applicationId, providerType } = flow;
    const configured = await clients.find(applicationId, providerType);
    if (configured === undefined) throw new KalendsError('NotFound', 'The OAuth client was removed meanwhile.');
    await connection.ready();
    const grant = await provider.authorization.exchangeCode({
      client: configured.client,
      redirectUri: callbackUrl(providerType),
      code,
      codeVerifier: flowSecret(flow, 'verifier'),
      nonce: flowSecret(flow, 'nonce'),
      issuer,
    });
    // Before anything is stored: an account that exists keeps what works.
    if (!provider.authorization.coversCalendars(grant.scopes, configured.client)) {
      return { error: 'insufficient_scope', description: 'The user did not grant access to calendars.' };
    }
    const identity = await identifyGrant(provider, grant);
    const address = await connection.provenAddress({ applicationId, providerType, identity });
    const proven = address === undefined ? [] : [address, ...(identity.otherAddresses ?? [])];
    const mismatch = flows.hintMismatch(flow, proven);
    if (mismatch !== undefined) return mismatch;
    const { account } = await connection.connect({
      applicationId,
      providerType,
      identity,
      means: {
        kind: 'oauth',
        providerConfigId: configured.id,
        grant,
        refreshToken: undefined,
        authorizedScopes: undefined,
      },
      externalId: flow.externalId ?? undefined,
      by: FLOW,
    });
    return account.id;
  };

  return {
    async begin(applicationId, providerPath, query, cookieHeader) {
      const application = await storage.applications.find(applicationId);
      if (application === undefined || application.deletedAt !== null) {
        throw new KalendsError('NotFound', 'There is no such application.');
      }
      const target = registry.findByPath(providerPath);
      if (target === undefined) throw new KalendsError('NotFound', 'There is no such provider.');
      const redirectUrl = registeredRedirectUrl(application.redirectUrls, query['redirectUrl']);
      checkState(query['state']);
      const fail = (failure: AuthorizationFailure) => ({
        ...refusal(redirectUrl, failure, query['state'] ?? null),
        cookies: [],
      });
      const parsed = parseQuery(query);
      if ('error' in parsed) return fail(parsed);
      if (publicUrl === undefined) {
        return fail({
          error: 'server_error',
          description: 'The service has no public URL for the provider to return to.',
        });
      }
      const { provider, providerType } = target;
      const flow = newFlow(applicationId, providerType, redirectUrl, parsed.query);
      if (isOAuth(provider)) return sendToProvider(provider, flow, parsed.query, cookieHeader);
      if (parsed.query.prompt === 'none') {
        return fail({ error: 'login_required', description: 'This provider cannot connect a mailbox without a page.' });
      }
      return sendToSignIn(flow, parsed.query, cookieHeader);
    },

    async callback(providerPath, query, cookieHeader) {
      const opened = flows.open(providerPath, query['state'], cookieHeader);
      const redirectUrl = await flows.claim(opened);
      return flows.finish(opened, redirectUrl, async () => {
        if (query['error'] !== undefined) return providerRefusal(query['error'], query['error_description']);
        const { code, iss: issuer } = query;
        if (!code) return { error: 'server_error', description: 'The provider sent no code.' };
        return complete(opened.flow, registry.getOAuth(opened.flow.providerType), { code, issuer });
      });
    },

    ...createSignInFlow(dependencies),
  };
}

/** @throws KalendsError InvalidRedirectUrl unless the URL, character by character, is registered */
function registeredRedirectUrl(registered: readonly string[], requested: string | undefined): string {
  const redirectUrl = requested ?? registered[0];
  if (redirectUrl !== undefined && registered.includes(redirectUrl)) return redirectUrl;
  throw invalidRedirectUrl(
    requested === undefined
      ? 'The application has no registered redirect URL.'
      : 'The redirect URL is not registered for the application.',
  );
}

/** @throws KalendsError InvalidRequest: a state that cannot be given back is no case for a redirect */
function checkState(state: string | undefined): void {
  const parsed = authorizeQuery.shape.state.safeParse(state);
  if (!parsed.success) throw invalid('state', parsed.error.issues.map(({ message }) => message).join(', '));
}

function parseQuery(
  query: Readonly<Record<string, string>>,
): { readonly query: AuthorizeQuery } | AuthorizationFailure {
  try {
    return { query: parseInput(authorizeQuery, query) };
  } catch (error) {
    if (!KalendsError.isInstance(error)) throw error;
    return { error: 'invalid_request', description: error.message };
  }
}

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest();
