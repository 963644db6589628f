import { clientKeyOwner } from '../data-keys/index.ts';
import { invalid } from '../errors.ts';
import type {
  AuditRow,
  Clock,
  ProviderClient,
  ProviderConfigRow,
  PublicClient,
  Random,
  Sealer,
  Storage,
} from '../ports/index.ts';
import { createId } from '../runtime/index.ts';

/** An application's OAuth client at one provider, opened. `id` is the `providerId` of its accounts. */
export interface ConfiguredClient {
  readonly id: string;
  readonly client: ProviderClient;
}

/** The OAuth clients of applications, sealed at rest. */
export interface ProviderClients {
  /**
   * Sets the client of one application at one provider. `audit` returns the entry by the client's id.
   * @throws KalendsError InvalidRequest for a provider that is not registered
   */
  configure(
    applicationId: string,
    providerType: string,
    client: ProviderClient & Pick<ProviderConfigRow, 'secretExpiresAt'>,
    audit: (providerId: string) => AuditRow,
  ): Promise<ProviderConfigRow>;
  find(applicationId: string, providerType: string): Promise<ConfiguredClient | undefined>;
  /** The client without its secret. Needs no keyring, since requests without a key lead here. */
  findPublic(applicationId: string, providerType: string): Promise<PublicClient | undefined>;
  /** The client that an account was connected under. */
  findById(applicationId: string, id: string): Promise<ConfiguredClient | undefined>;
}

export function createProviderClients(dependencies: {
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly random: Random;
  readonly providerTypes: readonly string[];
}): ProviderClients {
  const { storage, sealer, clock, random, providerTypes } = dependencies;
  const open = async (row: ProviderConfigRow | undefined): Promise<ConfiguredClient | undefined> => {
    if (row === undefined) return undefined;
    const { wrappedKey, sealedClientSecret } = row;
    const clientSecret = await sealer.open(wrappedKey, clientKeyOwner(row), 'clientSecret', sealedClientSecret);
    return { id: row.id, client: { ...publicClient(row), clientSecret } };
  };
  return {
    async configure(applicationId, providerType, client, audit) {
      if (!providerTypes.includes(providerType)) {
        throw invalid('providerType', `must be one of ${providerTypes.join(', ')}`);
      }
      const now = clock.now();
      const whose = clientKeyOwner({ applicationId, providerType });
      const wrappedKey = await sealer.createKey(whose);
      const id = createId(random, 'prv');
      const row: ProviderConfigRow = {
        id,
        applicationId,
        providerType,
        clientId: client.clientId,
        wrappedKey,
        sealedClientSecret: await sealer.seal(wrappedKey, whose, 'clientSecret', client.clientSecret),
        settings: client.settings,
        scopes: client.scopes ?? null,
        secretExpiresAt: client.secretExpiresAt,
        createdAt: now,
        updatedAt: now,
      };
      return await storage.providerConfigs.put(row, audit(id));
    },
    async findPublic(applicationId, providerType) {
      const row = await storage.providerConfigs.find(applicationId, providerType);
      return row && publicClient(row);
    },
    find: async (applicationId, providerType) => open(await storage.providerConfigs.find(applicationId, providerType)),
    findById: async (applicationId, id) => open(await storage.providerConfigs.findById(applicationId, id)),
  };
}

const publicClient = ({ clientId, settings, scopes }: ProviderConfigRow): PublicClient => ({
  clientId,
  settings,
  scopes,
});
