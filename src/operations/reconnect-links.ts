import { isOAuth, noAccount, type ProviderRegistry, providerPathOf } from '../accounts/index.ts';
import { authorizeQuery } from '../model/index.ts';
import { KalendsError, type Storage } from '../ports/index.ts';

/** Creates the builder of links to the authorization flow that reconnect an account. */
export function createReconnectLinks(dependencies: {
  readonly storage: Pick<Storage, 'accounts' | 'applications' | 'providerConfigs'>;
  readonly registry: Pick<ProviderRegistry, 'get'>;
  readonly publicUrl: string | undefined;
}): (applicationId: string, accountId: string) => Promise<string> {
  const { storage, registry, publicUrl } = dependencies;
  return async (applicationId, accountId) => {
    const account = await storage.accounts.find(applicationId, accountId);
    if (account === undefined) throw noAccount();
    const { providerType, email, externalId } = account;
    const application = await storage.applications.find(applicationId);
    if (application === undefined || application.deletedAt !== null)
      throw conflict('The application is being deleted.');
    if (application.redirectUrls.length === 0)
      throw conflict('The application has no redirect URL to return to: add one.');
    const needsClient = isOAuth(registry.get(providerType));
    if (needsClient && (await storage.providerConfigs.find(applicationId, providerType)) === undefined) {
      throw conflict(`The application has no OAuth client for ${providerType}: set one.`);
    }
    if (publicUrl === undefined) throw conflict('The service has no public URL: set the option publicUrl.');
    const url = new URL(`${publicUrl}/v1/oauth/authorize/${applicationId}/${providerPathOf(providerType)}`);
    // The flow refuses a hint that is no e-mail address; a provider's sign-in name may be none.
    if (authorizeQuery.shape.loginHint.safeParse(email).success) url.searchParams.set('loginHint', email);
    if (externalId !== null) url.searchParams.set('externalId', externalId);
    return url.href;
  };
}

const conflict = (message: string) => new KalendsError('Conflict', message);
