import { createHash, timingSafeEqual } from 'node:crypto';
import type { ProviderClients } from '../applications/index.ts';
import { FLOW } from '../audit/index.ts';
import type { AuthorizationRedirect, AuthorizationService } from '../engine-interface.ts';
import { invalid } from '../errors.ts';
import { type AuthorizeQuery, authorizeQuery, parseInput } from '../model/index.ts';
import {
  type Clock,
  KalendsError,
  type Logger,
  type OAuthProvider,
  type Random,
  type Storage,
} from '../ports/index.ts';
import { type ByteSealer, describeError } from '../runtime/index.ts';
import { type AccountConnection, identifyGrant, normalMailbox } from './account-connection.ts';
import { createAuthorizationCookie } from './authorization-cookie.ts';
import { type AuthorizationFlow, digestOf, flowSecret, openFlow, sealFlow } from './authorization-flow.ts';
import { type ProviderRegistry, providerPathOf } from './provider-registry.ts';
import {
  type AuthorizationFailure,
  failureOf,
  failureRedirect,
  providerRefusal,
  redirectBack,
} from './redirect-back.ts';

/** How long a person may take at the provider. */
const LIFETIME_MS = 10 * 60_000;

interface AuthorizationDependencies {
  readonly storage: Storage;
  readonly registry: ProviderRegistry;
  readonly clients: ProviderClients;
  readonly connection: AccountConnection;
  /** Seals flows into `state`. Purpose `authorization`. */
  readonly flowSealer: ByteSealer;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Without a trailing slash. */
  readonly publicUrl: string | undefined;
}

/** The browser's way through a provider's OAuth 2.0 flow: spec §4.2. */
export function createAuthorizationService(dependencies: AuthorizationDependencies): AuthorizationService {
  const { storage, registry, clients, connection, flowSealer, clock, random, logger, publicUrl } = dependencies;
  const cookie = createAuthorizationCookie(publicUrl?.startsWith('https:') ?? true);
  const callbackUrl = (providerType: string) => `${publicUrl}/v1/oauth/callback/${providerPathOf(providerType)}`;

  /** Seals the flow into the state and sends the browser to the provider. */
  const sendToProvider = async (
    applicationId: string,
    target: { readonly providerType: string; readonly provider: OAuthProvider },
    redirectUrl: string,
    query: AuthorizeQuery,
    cookieHeader: string | null,
  ): Promise<AuthorizationRedirect> => {
    const { providerType, provider } = target;
    const client = await clients.findPublic(applicationId, providerType);
    if (client === undefined) {
      throw new KalendsError('NotFound', 'The application has no OAuth client configured for this provider.');
    }
    const flow: AuthorizationFlow = {
      seed: random.bytes(32),
      expiresAt: clock.now() + LIFETIME_MS,
      applicationId,
      providerType,
      redirectUrl: digestOf(redirectUrl),
      loginHint: query.loginHint === undefined ? null : digestOf(normalMailbox(query.loginHint)),
      externalId: query.externalId ?? null,
      state: query.state ?? null,
    };
    const state = sealFlow(flowSealer, flow);
    const location = provider.authorization.authorizationUrl({
      client,
      redirectUri: callbackUrl(providerType),
      state,
      nonce: flowSecret(flow, 'nonce'),
      codeChallenge: sha256(flowSecret(flow, 'verifier')).toString('base64url'),
      // Only the consent page gives a refresh token for sure. Nothing stored decides: flows are
      // open to everyone and must not tell which mailboxes are connected.
      prompt: query.prompt ?? 'consent',
      loginHint: query.loginHint,
    });
    const owner = { stateHash: hashOf(state), expiresAt: flow.expiresAt };
    const cookies = cookie.issue(owner, flowSecret(flow, 'browser'), LIFETIME_MS / 1000, cookieHeader);
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
    const isHinted = (hint: Uint8Array) => address !== undefined && digestOf(normalMailbox(address)).equals(hint);
    if (flow.loginHint !== null && !isHinted(flow.loginHint)) {
      return {
        error: 'login_hint_mismatch',
        description: 'The user signed in with another mailbox than loginHint names.',
      };
    }
    const { account } = await connection.connect({
      applicationId,
      providerType,
      providerConfigId: configured.id,
      identity,
      grant,
      refreshToken: undefined,
      externalId: flow.externalId ?? undefined,
      authorizedScopes: undefined,
      by: FLOW,
    });
    return account.id;
  };

  const finish = async (
    flow: AuthorizationFlow,
    redirectUrl: string,
    query: Readonly<Record<string, string>>,
  ): Promise<Omit<AuthorizationRedirect, 'cookies'>> => {
    const fail = (failure: AuthorizationFailure) => refusal(redirectUrl, failure, flow.state);
    if (query['error'] !== undefined) return fail(providerRefusal(query['error'], query['error_description']));
    const { code, iss: issuer } = query;
    if (!code) return fail({ error: 'server_error', description: 'The provider sent no code.' });
    try {
      const outcome = await complete(flow, registry.getOAuth(flow.providerType), { code, issuer });
      if (typeof outcome !== 'string') return fail(outcome);
      const location = redirectBack(redirectUrl, { endUserAccountId: outcome, state: flow.state });
      return { location, isRefused: false };
    } catch (error) {
      const failure = failureOf(error);
      logger[failure === undefined ? 'error' : 'warn']('authorization failed', {
        applicationId: flow.applicationId,
        providerType: flow.providerType,
        error: describeError(error),
      });
      return fail(failure ?? { error: 'server_error', description: 'The authorization could not be completed.' });
    }
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
      const parsed = parseQuery(query);
      if ('error' in parsed) return { ...refusal(redirectUrl, parsed, query['state'] ?? null), cookies: [] };
      if (publicUrl === undefined) {
        const description = 'The service has no public URL for the provider to return to.';
        const failure = { error: 'server_error', description };
        return { ...refusal(redirectUrl, failure, parsed.query.state ?? null), cookies: [] };
      }
      const { providerType } = target;
      const provider = registry.getOAuth(providerType);
      return sendToProvider(applicationId, { providerType, provider }, redirectUrl, parsed.query, cookieHeader);
    },

    async callback(providerPath, query, cookieHeader) {
      const state = query['state'];
      if (!state) throw invalid('state', 'is required');
      const flow = openFlow(flowSealer, state);
      // One answer for all: a caller that probes states learns nothing about them.
      if (flow === undefined || flow.expiresAt <= clock.now()) throw unknownFlow();
      if (providerPathOf(flow.providerType) !== providerPath.toLowerCase()) throw unknownFlow();
      const owner = { stateHash: hashOf(state), expiresAt: flow.expiresAt };
      const browserNonce = cookie.read(owner, cookieHeader);
      if (browserNonce === undefined || !isSame(browserNonce, flowSecret(flow, 'browser'))) throw unknownFlow();
      const application = await storage.applications.find(flow.applicationId);
      // Behind the cookie: another browser that came to know the state cannot use it up.
      if (!(await storage.usedStates.mark(owner.stateHash, flow.expiresAt))) throw unknownFlow();
      const redirectUrl = application?.redirectUrls.find((url) => digestOf(url).equals(flow.redirectUrl));
      if (redirectUrl === undefined) {
        throw invalidRedirectUrl('The redirect URL is not registered for the application any more.');
      }
      return { ...(await finish(flow, redirectUrl, query)), cookies: [cookie.clear(owner)] };
    },
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

function refusal(redirectUrl: string, failure: AuthorizationFailure, state: string | null) {
  const isOurs = ['server_error', 'temporarily_unavailable'].includes(failure.error);
  return { location: failureRedirect(redirectUrl, failure, state), isRefused: !isOurs };
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

function invalidRedirectUrl(message: string): KalendsError {
  return new KalendsError('InvalidRedirectUrl', message, { details: [{ path: 'redirectUrl', message }] });
}

const unknownFlow = () =>
  invalid('state', 'is unknown, has been used, has expired, or was begun in another browser; start again');

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest();

const hashOf = (state: string) => sha256(state).toString('hex');

const isSame = (one: string, other: string) => timingSafeEqual(sha256(one), sha256(other));
