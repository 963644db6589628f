import type { ProviderClients } from '../applications/index.ts';
import { actorOf } from '../audit/index.ts';
import type { Caller } from '../engine-interface.ts';
import { invalid } from '../errors.ts';
import type { AccountUpsertFields } from '../model/index.ts';
import { type AccountRow, KalendsError, type OAuthProvider, ProviderError, type TokenGrant } from '../ports/index.ts';
import { type AccountConnection, type ConnectionInput, identifyGrant, sameMailbox } from './account-connection.ts';
import { asPublicFailure } from './provider-failure.ts';
import { isOAuth, type ProviderRegistry } from './provider-registry.ts';
import type { SignInCheck } from './sign-in-check.ts';

interface UpsertDependencies {
  readonly registry: ProviderRegistry;
  readonly clients: ProviderClients;
  readonly connection: AccountConnection;
  readonly signIns: SignInCheck;
}

type Proved = Pick<ConnectionInput, 'identity' | 'means'>;

/** Proves the refresh token or the credentials, and connects the account, which is changed by nothing before. */
export async function upsertAccount(
  dependencies: UpsertDependencies,
  caller: Caller,
  body: AccountUpsertFields,
): Promise<{ readonly account: AccountRow; readonly created: boolean }> {
  const { registry, connection } = dependencies;
  const { providerType, externalId } = body;
  if (!registry.types.includes(providerType)) {
    throw invalid('providerType', `must be one of ${registry.types.join(', ')}`);
  }
  const isOfOAuth = isOAuth(registry.get(providerType));
  const proved = await (isOfOAuth ? proveGrant : proveSignIn)(dependencies, caller, body);
  const { applicationId } = caller;
  return connection.connect({ applicationId, providerType, ...proved, externalId, by: actorOf(caller) });
}

async function proveGrant(
  { registry, clients, connection }: UpsertDependencies,
  { applicationId }: Caller,
  { providerType, refreshToken, email, authorizedScopes }: AccountUpsertFields,
): Promise<Proved> {
  const provider = registry.getOAuth(providerType);
  if (refreshToken === undefined) {
    throw invalid('credentials', `cannot be used: accounts of ${providerType} sign in with a refreshToken`);
  }
  const configured = await clients.find(applicationId, providerType);
  if (configured === undefined) {
    throw invalid('providerType', 'the application has no OAuth client configured for this provider');
  }
  await connection.ready();
  const grant = await proveRefreshToken(
    provider.authorization.refresh({ client: configured.client, refreshToken, scopes: authorizedScopes }),
  );
  requireCalendars(provider, grant);
  const identity = await asPublicFailure(identifyGrant(provider, grant));
  const addresses = [identity.email, ...(identity.otherAddresses ?? [])];
  if (email !== undefined && !addresses.some((address) => sameMailbox(address, email))) {
    throw invalid('email', 'is not the address of the mailbox that the refresh token belongs to');
  }
  const providerConfigId = configured.id;
  return { identity, means: { kind: 'oauth', providerConfigId, grant, refreshToken, authorizedScopes } };
}

/**
 * An imported token may have fewer scopes than a sign-in asks for: it is enough that calendars can be read, as if its own scopes and
 * those that reading lacks had been asked for.
 * @throws KalendsError InvalidRequest on refreshToken
 */
function requireCalendars({ authorization }: OAuthProvider, { scopes }: TokenGrant): void {
  if (scopes === undefined) return;
  const missing = authorization.missingScopes(scopes);
  if (authorization.coversCalendars(scopes, { scopes: [...scopes, ...missing] })) return;
  throw invalid('refreshToken', `does not give access to calendars: a sign-in must ask for ${missing.join(', ')} too`);
}

async function proveSignIn(
  { registry, connection, signIns }: UpsertDependencies,
  { applicationId }: Caller,
  { providerType, credentials: signIn, email, authorizedScopes }: AccountUpsertFields,
): Promise<Proved> {
  const provider = registry.getWithCredentials(providerType);
  if (signIn === undefined) {
    throw invalid('refreshToken', `cannot be used: accounts of ${providerType} sign in with credentials`);
  }
  if (authorizedScopes !== undefined) throw invalid('authorizedScopes', 'cannot be used: the provider has no scopes');
  await connection.ready();
  const { credentials, identity } = await signIns.verify({ providerType, provider, applicationId }, signIn);
  const means = { kind: 'credentials', credentials } as const;
  if (email === undefined) return { identity, means };
  // A server that vouches for no address leaves it to the application.
  if (identity.isEmailVerified === false) return { identity: { ...identity, email }, means };
  if (!sameMailbox(identity.email, email)) {
    throw invalid('email', 'is not the address of the mailbox that the credentials belong to');
  }
  return { identity, means };
}

/** The token belongs to another OAuth client, or to a client that may not use it. */
const isForeignToken = ({ reason, field }: ProviderError) => reason === 'operator' && field === 'refreshToken';

async function proveRefreshToken(refreshing: Promise<TokenGrant>): Promise<TokenGrant> {
  try {
    return await refreshing;
  } catch (error) {
    if (ProviderError.isInstance(error) && (error.reason === 'invalid-grant' || isForeignToken(error))) {
      const message = 'The provider does not accept the refresh token.';
      throw new KalendsError('InvalidRefreshToken', message, {
        status: 400,
        details: [{ path: 'refreshToken', message }],
        cause: error,
      });
    }
    return asPublicFailure(Promise.reject(error));
  }
}
