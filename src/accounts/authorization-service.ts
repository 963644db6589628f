import { createHash, timingSafeEqual } from 'node:crypto';
import type { ProviderClients } from '../applications/provider-clients.ts';
import { invalid } from '../errors.ts';
import { type AuthorizeQuery, authorizeQuery, parseInput } from '../model/index.ts';
import {
  type AuthorizationRow,
  type Clock,
  KalendsError,
  type Logger,
  type Provider,
  type Random,
  type Sealer,
  type Storage,
} from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';
import type { AuthorizationRedirect, AuthorizationService } from '../services.ts';
import { type AccountConnection, identifyGrant, sameMailbox } from './account-connection.ts';
import { createAuthorizationCookie } from './authorization-cookie.ts';
import { type ProviderRegistry, providerPathOf } from './provider-registry.ts';
import {
  type AuthorizationFailure,
  failureOf,
  failureRedirect,
  providerRefusal,
  redirectBack,
} from './redirect-back.ts';

/** How long a person may take at the provider. */
const LIFETIME_MS = 15 * 60_000;
/** Flows of one application that may be under way at once: anybody may begin one, and most that go beyond this never end. */
const MAX_FLOWS = 5_000;

interface AuthorizationDependencies {
  readonly storage: Storage;
  readonly registry: ProviderRegistry;
  readonly clients: ProviderClients;
  readonly connection: AccountConnection;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Without a trailing slash. */
  readonly publicUrl: string | undefined;
}

/** The browser's way through a provider's OAuth 2.0 flow: spec §4.2. */
export function createAuthorizationService(dependencies: AuthorizationDependencies): AuthorizationService {
  const { storage, registry, clients, connection, sealer, clock, random, logger, publicUrl } = dependencies;
  const cookie = createAuthorizationCookie(publicUrl?.startsWith('https:') ?? true);
  const callbackUrl = (providerType: string) => `${publicUrl}/v1/oauth/callback/${providerPathOf(providerType)}`;
  const secretText = () => Buffer.from(random.bytes(32)).toString('base64url');

  /** Remembers the flow on our side and sends the browser to the provider. */
  const sendToProvider = async (
    applicationId: string,
    target: { readonly providerType: string; readonly provider: Provider },
    redirectUrl: string,
    query: AuthorizeQuery,
  ): Promise<AuthorizationRedirect> => {
    const { providerType, provider } = target;
    const configured = await clients.find(applicationId, providerType);
    if (configured === undefined) {
      throw new KalendsError('NotFound', 'The application has no OAuth client configured for this provider.');
    }
    const [state, browserNonce, verifier, nonce] = [secretText(), secretText(), secretText(), secretText()];
    const stateHash = sha256(state).toString('hex');
    const owner = flowOwner(applicationId, stateHash);
    const wrappedKey = await sealer.createKey(owner);
    await storage.applications.createAuthorization({
      stateHash,
      applicationId,
      providerType,
      redirectUrl,
      state: query.state ?? null,
      loginHint: query.loginHint ?? null,
      externalId: query.externalId ?? null,
      cookieHash: sha256(browserNonce).toString('hex'),
      wrappedKey,
      sealedVerifier: await sealer.seal(wrappedKey, owner, 'codeVerifier', verifier),
      nonce,
      expiresAt: clock.now() + LIFETIME_MS,
    });
    const dropped = await storage.applications.trimAuthorizations(applicationId, MAX_FLOWS);
    if (dropped > 0)
      logger.warn('too many authorizations were begun: the oldest are dropped', { applicationId, dropped });
    const location = provider.authorization.authorizationUrl({
      client: configured.client,
      redirectUri: callbackUrl(providerType),
      state,
      nonce,
      codeChallenge: sha256(verifier).toString('base64url'),
      // Only the consent page gives a refresh token for sure. Nothing stored decides: anybody may begin a flow, and
      // must not learn which mailboxes are connected.
      prompt: query.prompt ?? 'consent',
      loginHint: query.loginHint,
    });
    return { location, cookies: [cookie.issue(stateHash, browserNonce, LIFETIME_MS / 1000)] };
  };

  /** Turns the provider's code into an account. @throws what failureOf knows */
  const complete = async (
    flow: AuthorizationRow,
    provider: Provider,
    code: string,
  ): Promise<string | AuthorizationFailure> => {
    const { applicationId, providerType } = flow;
    const configured = await clients.find(applicationId, providerType);
    if (configured === undefined) throw new KalendsError('NotFound', 'The OAuth client was removed meanwhile.');
    const owner = flowOwner(applicationId, flow.stateHash);
    const grant = await provider.authorization.exchangeCode({
      client: configured.client,
      redirectUri: callbackUrl(providerType),
      code,
      codeVerifier: await sealer.open(flow.wrappedKey, owner, 'codeVerifier', flow.sealedVerifier),
      nonce: flow.nonce,
    });
    const identity = await identifyGrant(provider, grant);
    if (flow.loginHint !== null && !sameMailbox(flow.loginHint, identity.email)) {
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
    });
    return account.id;
  };

  const finish = async (
    flow: AuthorizationRow,
    provider: Provider,
    query: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const fail = (failure: AuthorizationFailure) => failureRedirect(flow.redirectUrl, failure, flow.state);
    if (query['error'] !== undefined) return fail(providerRefusal(query['error'], query['error_description']));
    if (!query['code']) return fail({ error: 'server_error', description: 'The provider sent no code.' });
    try {
      const outcome = await complete(flow, provider, query['code']);
      if (typeof outcome !== 'string') return fail(outcome);
      return redirectBack(flow.redirectUrl, { endUserAccountId: outcome, state: flow.state });
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
    async begin(applicationId, providerPath, query) {
      const application = await storage.applications.find(applicationId);
      if (application === undefined) throw new KalendsError('NotFound', 'There is no such application.');
      const target = registry.findByPath(providerPath);
      if (target === undefined) throw new KalendsError('NotFound', 'There is no such provider.');
      const redirectUrl = registeredRedirectUrl(application.redirectUrls, query['redirectUrl']);
      const parsed = parseQuery(query);
      if ('error' in parsed)
        return { location: failureRedirect(redirectUrl, parsed, returnableState(query)), cookies: [] };
      if (publicUrl === undefined) {
        const failure = {
          error: 'server_error',
          description: 'The service has no public URL for the provider to return to.',
        };
        return { location: failureRedirect(redirectUrl, failure, parsed.query.state ?? null), cookies: [] };
      }
      return sendToProvider(applicationId, target, redirectUrl, parsed.query);
    },

    async callback(providerPath, query, cookieHeader) {
      const state = query['state'];
      if (!state) throw invalid('state', 'is required');
      const stateHash = sha256(state).toString('hex');
      const flow = await storage.applications.takeAuthorization(stateHash, clock.now());
      // One answer for all: who probes states learns nothing about them.
      if (flow === undefined || providerPathOf(flow.providerType) !== providerPath.toLowerCase()) throw unknownFlow();
      const browserNonce = cookie.read(stateHash, cookieHeader);
      if (browserNonce === undefined || !sameHash(browserNonce, flow.cookieHash)) throw unknownFlow();
      await checkStillRegistered(storage, flow);
      const location = await finish(flow, registry.get(flow.providerType), query);
      return { location, cookies: [cookie.clear(stateHash)] };
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

/** A redirect URL that was taken off the list while the user was away is no place to go any more. */
async function checkStillRegistered(storage: Storage, flow: AuthorizationRow): Promise<void> {
  const application = await storage.applications.find(flow.applicationId);
  if (!application?.redirectUrls.includes(flow.redirectUrl)) {
    throw invalidRedirectUrl('The redirect URL is not registered for the application any more.');
  }
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

function returnableState(query: Readonly<Record<string, string>>): string | null {
  const parsed = authorizeQuery.shape.state.safeParse(query['state']);
  return parsed.success ? (parsed.data ?? null) : null;
}

function invalidRedirectUrl(message: string): KalendsError {
  return new KalendsError('InvalidRedirectUrl', message, { details: [{ path: 'redirectUrl', message }] });
}

const unknownFlow = () =>
  invalid('state', 'is unknown, has been used, has expired, or was begun in another browser; start again');

const flowOwner = (applicationId: string, stateHash: string) => `${applicationId}/authorization/${stateHash}`;

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest();

const sameHash = (text: string, hashHex: string) => timingSafeEqual(sha256(text), Buffer.from(hashHex, 'hex'));
