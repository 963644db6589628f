import { KalendsError, type Provider } from '../ports/index.ts';

/** The providers under the names that the public interface uses. */
export interface ProviderRegistry {
  /** In order of registration. */
  readonly types: readonly string[];
  /** @throws KalendsError ProviderUnavailable when stored data names a provider that is no longer registered */
  get(providerType: string): Provider;
  /** By the key in any case, as it stands in routes. */
  findByPath(providerPath: string): { readonly providerType: string; readonly provider: Provider } | undefined;
}

export function createProviderRegistry(providers: Readonly<Record<string, Provider>>): ProviderRegistry {
  const byType = new Map(Object.entries(providers));
  const types = [...byType.keys()];
  return {
    types,
    get(providerType) {
      const provider = byType.get(providerType);
      if (provider === undefined) {
        throw new KalendsError('ProviderUnavailable', `No provider is registered as ${providerType}.`);
      }
      return provider;
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
