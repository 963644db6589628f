import type { ApiKey, Application, ApplicationService } from '../engine-interface.ts';
import { invalid } from '../errors.ts';
import { parseInput } from '../model/index.ts';
import {
  type ApiKeyRow,
  type ApplicationRow,
  type Clock,
  KalendsError,
  type Random,
  type Storage,
} from '../ports/index.ts';
import { createId, type Secrets } from '../runtime/index.ts';
import { createKeyText } from './api-key-text.ts';
import { createApiKeyVerifier } from './api-key-verifier.ts';
import { apiKeyCreate, applicationCreate, applicationUpdate, providerClientInput } from './application-input.ts';
import type { ProviderClients } from './provider-clients.ts';

const LIST_PAGE = 250;

/** Applications, their redirect URLs, OAuth clients and API keys. */
export function createApplicationService(dependencies: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  readonly secrets: Secrets;
  readonly environment: string;
  readonly clients: ProviderClients;
}): ApplicationService {
  const { storage, clock, random, secrets, environment, clients } = dependencies;
  const { applications, apiKeys } = storage;
  const verifier = createApiKeyVerifier({ apiKeys, clock, secrets });

  const get = async (applicationId: string): Promise<Application> => {
    const row = await applications.find(applicationId);
    if (row === undefined) throw noApplication();
    return viewApplication(row);
  };

  return {
    async create(input) {
      const { name, redirectUrls } = parseInput(applicationCreate, input);
      const now = clock.now();
      const row = { id: createId(random, 'app'), name, redirectUrls, createdAt: now, updatedAt: now };
      await applications.create(row);
      return viewApplication(row);
    },

    async find(applicationId) {
      const row = await applications.find(applicationId);
      return row && viewApplication(row);
    },

    async list() {
      const rows: ApplicationRow[] = [];
      for (;;) {
        const last = rows.at(-1);
        const page = await applications.list({
          limit: LIST_PAGE,
          ...(last === undefined ? {} : { after: { createdAt: last.createdAt, id: last.id } }),
        });
        rows.push(...page);
        if (page.length < LIST_PAGE) return rows.map(viewApplication);
      }
    },

    async update(applicationId, patch) {
      const { name, redirectUrls } = parseInput(applicationUpdate, patch);
      const found = await applications.update(applicationId, {
        ...(name === undefined ? {} : { name }),
        ...(redirectUrls === undefined ? {} : { redirectUrls }),
        updatedAt: clock.now(),
      });
      if (!found) throw noApplication();
      return get(applicationId);
    },

    async configureProvider(applicationId, providerType, client) {
      const parsed = parseInput(providerClientInput, client);
      await get(applicationId);
      return clients.configure(applicationId, providerType, parsed);
    },

    async createApiKey(applicationId, input) {
      const { name, expiresAt, canReadCredentials } = parseInput(apiKeyCreate, input);
      await get(applicationId);
      const now = clock.now();
      if (expiresAt !== null && expiresAt <= now) throw invalid('expiresAt', 'must lie in the future');
      const key = createKeyText(random, environment);
      const row: ApiKeyRow = {
        id: createId(random, 'key'),
        applicationId,
        name,
        hash: verifier.hash(key),
        canReadCredentials,
        expiresAt,
        revokedAt: null,
        createdAt: now,
      };
      await apiKeys.create(row);
      return { key, apiKey: viewApiKey(row) };
    },

    async listApiKeys(applicationId) {
      await get(applicationId);
      return (await apiKeys.list(applicationId)).map(viewApiKey);
    },

    async revokeApiKey(applicationId, keyId) {
      if (!(await apiKeys.revoke(applicationId, keyId, clock.now()))) {
        throw new KalendsError('NotFound', 'There is no such API key.');
      }
    },

    authenticate: (key) => verifier.authenticate(key),
  };
}

function viewApplication(row: ApplicationRow): Application {
  return { id: row.id, name: row.name, redirectUrls: row.redirectUrls, createdAt: isoText(row.createdAt) };
}

function viewApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    canReadCredentials: row.canReadCredentials,
    expiresAt: row.expiresAt === null ? null : isoText(row.expiresAt),
    revokedAt: row.revokedAt === null ? null : isoText(row.revokedAt),
    createdAt: isoText(row.createdAt),
  };
}

const isoText = (at: number) => new Date(at).toISOString();

const noApplication = () => new KalendsError('NotFound', 'There is no such application.');
