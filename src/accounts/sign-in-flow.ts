import { FLOW } from '../audit/index.ts';
import type { AuthorizationRedirect, AuthorizationService, SignInForm } from '../engine-interface.ts';
import { parseInput, type SignIn, signIn } from '../model/index.ts';
import { type CredentialProvider, KalendsError, type Storage, type VerifiedCredentials } from '../ports/index.ts';
import type { AccountConnection } from './account-connection.ts';
import type { AuthorizationFlow } from './authorization-flow.ts';
import { digestOf } from './authorization-flow.ts';
import { type BrowserFlows, invalidRedirectUrl, type OpenFlow } from './browser-flows.ts';
import type { ProviderRegistry } from './provider-registry.ts';
import type { AuthorizationFailure } from './redirect-back.ts';
import type { SignInCheck } from './sign-in-check.ts';

/** Problems that the person can mend, or wait out, on the page. */
const SHOWN_ON_PAGE = ['InvalidRequest', 'InvalidCredentials', 'RateLimited', 'ProviderUnavailable', 'ProviderTimeout'];

const DENIED: AuthorizationFailure = { error: 'access_denied', description: 'The user cancelled the sign-in.' };

type SignInSteps = Pick<AuthorizationService, 'showSignIn' | 'signIn'>;

/** The browser's way through our own page for providers without OAuth. */
export function createSignInFlow(dependencies: {
  readonly storage: Pick<Storage, 'applications'>;
  readonly registry: ProviderRegistry;
  readonly connection: AccountConnection;
  readonly signIns: SignInCheck;
  readonly flows: BrowserFlows;
}): SignInSteps {
  const { storage, registry, connection, signIns, flows } = dependencies;

  const formOf = async (
    { flow, state }: OpenFlow,
    values: Readonly<Record<string, string>>,
    problem: KalendsError | null,
  ): Promise<SignInForm> => {
    const { kinds, serverUrl } = registry.getWithCredentials(flow.providerType).authorization;
    const application = await storage.applications.find(flow.applicationId);
    const redirectUrl = application?.redirectUrls.find((url) => digestOf(url).equals(flow.redirectUrl));
    if (application === undefined || redirectUrl === undefined) {
      throw invalidRedirectUrl('The redirect URL is not registered for the application any more.');
    }
    return {
      kind: kinds[0] ?? 'password',
      providerType: flow.providerType,
      applicationName: application.name,
      redirectUrl,
      serverHost: serverUrl === undefined ? null : new URL(serverUrl).hostname,
      state,
      serverUrl: values['serverUrl'] ?? '',
      username: values['username'] ?? '',
      problem,
    };
  };

  const connect = async (
    { applicationId, providerType, externalId, ...flow }: AuthorizationFlow,
    { credentials, identity }: VerifiedCredentials,
  ): Promise<string | AuthorizationFailure> => {
    const proven = await connection.provenAddress({ applicationId, providerType, identity });
    const mismatch = flows.hintMismatch(
      { ...flow, applicationId, providerType, externalId },
      proven === undefined ? [] : [proven],
    );
    if (mismatch !== undefined) return mismatch;
    const { account } = await connection.connect({
      applicationId,
      providerType,
      identity,
      means: { kind: 'credentials', credentials },
      externalId: externalId ?? undefined,
      by: FLOW,
    });
    return account.id;
  };

  return {
    async showSignIn(providerPath, query, cookieHeader) {
      const opened = flows.open(providerPath, query['state'], cookieHeader);
      return await formOf(opened, { username: query['loginHint'] ?? '' }, null);
    },

    async signIn(providerPath, form, cookieHeader, address): Promise<AuthorizationRedirect | SignInForm> {
      const opened = flows.open(providerPath, form['state'], cookieHeader);
      const { flow } = opened;
      if (form['cancel'] !== undefined) {
        return await flows.finish(opened, await flows.claim(opened), async () => DENIED);
      }
      const { providerType } = flow;
      const provider = registry.getWithCredentials(providerType);
      let verified: VerifiedCredentials;
      try {
        await connection.ready();
        verified = await signIns.verify({ providerType, provider, address }, readForm(provider, form));
      } catch (error) {
        if (!KalendsError.isInstance(error) || !SHOWN_ON_PAGE.includes(error.code)) throw error;
        return await formOf(opened, form, error);
      }
      // Not before: a person who mistypes goes on with the same page.
      const redirectUrl = await flows.claim(opened);
      return await flows.finish(opened, redirectUrl, () => connect(flow, verified));
    },
  };
}

/** Returns the credentials as typed; a server may lack its scheme. @throws KalendsError InvalidRequest naming the field */
function readForm({ authorization }: CredentialProvider, form: Readonly<Record<string, string>>): SignIn {
  const text = (name: string) => form[name]?.trim() ?? '';
  const urlOf = (name: string) => (/^[a-z]+:\/\//i.test(text(name)) ? text(name) : `https://${text(name)}`);
  const server = authorization.serverUrl === undefined ? { serverUrl: urlOf('serverUrl') } : {};
  switch (authorization.kinds[0]) {
    case 'url':
      return parseInput(signIn, { kind: 'url', url: urlOf('serverUrl') });
    case 'bearer':
      return parseInput(signIn, { kind: 'bearer', ...server, token: text('password') });
    default:
      // Spaces within or around a password are part of it.
      return parseInput(signIn, {
        kind: 'password',
        ...server,
        username: text('username'),
        password: form['password'] ?? '',
      });
  }
}
