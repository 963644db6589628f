import { type AuditTrail, EMBEDDED } from '../audit/index.ts';
import type { OAuthClientService } from '../engine-interface.ts';
import { invalid } from '../errors.ts';
import { type OAuthClient, oauthClientSet, parseInput } from '../model/index.ts';
import { KalendsError, type ProviderAuthorization, type ProviderConfigRow, type Storage } from '../ports/index.ts';
import { noApplication } from './no-application.ts';
import { testOAuthClient } from './oauth-client-test.ts';
import type { ProviderClients } from './provider-clients.ts';

/** The OAuth clients of applications at the providers. */
export function createOAuthClientService(dependencies: {
  readonly storage: Pick<Storage, 'applications' | 'providerConfigs' | 'audit'>;
  readonly clients: ProviderClients;
  readonly audit: AuditTrail;
  /** Those with OAuth. */
  readonly providerTypes: readonly string[];
  /** Returns a provider's authorization by its key. @throws KalendsError for one that is not registered any more */
  readonly authorizationOf: (providerType: string) => ProviderAuthorization;
  /** Returns where a provider sends browsers back; undefined without a public URL. */
  readonly redirectUri: (providerType: string) => string | undefined;
}): OAuthClientService {
  const { storage, clients, audit, providerTypes, authorizationOf, redirectUri } = dependencies;

  const requireApplication = async (applicationId: string): Promise<void> => {
    if ((await storage.applications.find(applicationId)) === undefined) throw noApplication();
  };

  const view = (row: ProviderConfigRow): OAuthClient => ({
    providerId: row.id,
    providerType: row.providerType,
    clientId: row.clientId,
    settings: { ...row.settings },
    scopes: row.scopes && [...row.scopes],
    secretExpiresAt: row.secretExpiresAt === null ? null : isoText(row.secretExpiresAt),
    redirectUri: redirectUri(row.providerType) ?? null,
    createdAt: isoText(row.createdAt),
    updatedAt: isoText(row.updatedAt),
  });

  return {
    async set(applicationId, providerType, client, by = EMBEDDED) {
      const { secretExpiresAt, ...parsed } = parseInput(oauthClientSet, client);
      await requireApplication(applicationId);
      if (parsed.scopes !== null && providerTypes.includes(providerType)) {
        const missing = authorizationOf(providerType).missingScopes(parsed.scopes);
        if (missing.length > 0) throw invalid('scopes', `must include ${missing.join(', ')}`);
      }
      const row = await clients.configure(
        applicationId,
        providerType,
        { ...parsed, secretExpiresAt: secretExpiresAt === null ? null : Date.parse(secretExpiresAt) },
        (target) => audit(by, { applicationId, action: 'oauthClient.set', target, changed: Object.keys(client) }),
      );
      return view(row);
    },

    async get(applicationId, providerType) {
      const row = await storage.providerConfigs.find(applicationId, providerType);
      if (row === undefined) throw noClient();
      return view(row);
    },

    async list(applicationId) {
      await requireApplication(applicationId);
      return { data: (await storage.providerConfigs.list(applicationId)).map(view) };
    },

    async test(applicationId, providerType, by = EMBEDDED) {
      const configured = await clients.find(applicationId, providerType);
      if (configured === undefined) throw noClient();
      const result = await testOAuthClient(authorizationOf(providerType), configured.client);
      const act = { applicationId, action: 'oauthClient.tested', target: configured.id };
      await storage.audit.append(audit(by, act));
      return result;
    },

    async remove(applicationId, providerType, by = EMBEDDED) {
      const entry = audit(by, { applicationId, action: 'oauthClient.removed', target: providerType });
      const outcome = await storage.providerConfigs.remove(applicationId, providerType, entry);
      if (outcome === 'unknown') throw noClient();
      if (outcome === 'used') {
        throw new KalendsError('Conflict', 'Accounts are connected under this OAuth client. Delete them first.');
      }
    },
  };
}

const isoText = (at: number) => new Date(at).toISOString();

const noClient = () => new KalendsError('NotFound', 'The application has no OAuth client at this provider.');
