import { type CredentialProvider, KalendsError, type OAuthProvider, type Provider } from '../ports/index.ts';
import { otherSignIn } from './provider-failure.ts';

/** The providers under the names that the public interface uses. */
export interface ProviderRegistry {
  /** In order of registration. */
  readonly types: readonly string[];
  /** Those whose accounts sign in by OAuth. */
  readonly oauthTypes: readonly string[];
  /** @throws KalendsError ProviderUnavailable when stored data names a provider that is no longer registered */
  get(providerType: string): Provider;
  /** Returns a provider with OAuth. @throws KalendsError ProviderUnavailable also when its accounts sign in another way by now */
  getOAuth(providerType: string): OAuthProvider;
  /** Returns a provider without OAuth. @throws KalendsError ProviderUnavailable as `getOAuth` does */
  getWithCredentials(providerType: string): CredentialProvider;
  /** By the key in any case, as it stands in routes. */
  findByPath(providerPath: string): { readonly providerType: string; readonly provider: Provider } | undefined;
}

export function createProviderRegistry(providers: Readonly<Record<string, Provider>>): ProviderRegistry {
  const byType = new Map(Object.entries(providers));
  const types = [...byType.keys()];
  const get = (providerType: string): Provider => {
    const provider = byType.get(providerType);
    if (provider === undefined) {
      throw new KalendsError('ProviderUnavailable', `No provider is registered as ${providerType}.`);
    }
    return provider;
  };
  return {
    types,
    oauthTypes: types.filter((type) => isOAuth(get(type))),
    get,
    getOAuth(providerType) {
      const provider = get(providerType);
      if (isOAuth(provider)) return provider;
      throw otherSignIn(providerType);
    },
    getWithCredentials(providerType) {
      const provider = get(providerType);
      if (hasCredentials(provider)) return provider;
      throw otherSignIn(providerType);
    },
    findByPath(providerPath) {
      for (const [providerType, provider] of byType) {
        if (providerPathOf(providerType) === providerPath.toLowerCase()) return { providerType, provider };
      }
      return undefined;
    },
  };
}

/** The provider's path segment in routes. */
export function providerPathOf(providerType: string): string {
  return providerType.toLowerCase();
}

/** Whether accounts of the provider sign in by OAuth 2.0. */
export function isOAuth(provider: Provider): provider is OAuthProvider {
  return provider.authorization.kind === 'oauth';
}

/** Whether accounts of the provider sign in by credentials of their own. */
export function hasCredentials(provider: Provider): provider is CredentialProvider {
  return provider.authorization.kind === 'credentials';
}
