import { type AuditTrail, EMBEDDED } from '../audit/index.ts';
import type { SecretCheck } from '../data-keys/index.ts';
import type { ApiKeyService } from '../engine-interface.ts';
import { invalid } from '../errors.ts';
import { type ApiKey, apiKeyCreate, parseInput } from '../model/index.ts';
import { type ApiKeyRow, type Clock, KalendsError, type Random, type Storage } from '../ports/index.ts';
import { createId } from '../runtime/index.ts';
import { createKeyText } from './api-key-text.ts';
import type { ApiKeyVerifier } from './api-key-verifier.ts';
import { noApplication } from './no-application.ts';

const DAY_MS = 86_400_000;

/** The API keys of applications. */
export function createApiKeyService(dependencies: {
  readonly storage: Pick<Storage, 'applications' | 'apiKeys'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly verifier: ApiKeyVerifier;
  readonly audit: AuditTrail;
  /** Environment part of new keys. */
  readonly environment: string;
  readonly secretCheck: Pick<SecretCheck, 'requireRecorded'>;
}): ApiKeyService {
  const { storage, clock, random, verifier, audit, environment, secretCheck } = dependencies;
  const { applications, apiKeys } = storage;

  return {
    async create(applicationId, input, by = EMBEDDED) {
      const { name, expiresAt: expiry, readOnly, canReadCredentials } = parseInput(apiKeyCreate, input);
      const now = clock.now();
      const expiresAt = expiry === null ? null : expiryOf(expiry, now);
      if (expiresAt !== null && expiresAt <= now) throw invalid('expiresAt', 'must lie in the future');
      await secretCheck.requireRecorded();
      const key = createKeyText(random, environment);
      const row: ApiKeyRow = {
        id: createId(random, 'key'),
        applicationId,
        name,
        hash: verifier.hash(key),
        readOnly,
        canReadCredentials,
        expiresAt,
        revokedAt: null,
        lastUsedAt: null,
        createdAt: now,
      };
      const changed = Object.keys(input);
      await apiKeys.create(row, audit(by, { applicationId, action: 'apiKey.created', target: row.id, changed }));
      return { key, apiKey: viewApiKey(row) };
    },

    async list(applicationId) {
      if ((await applications.find(applicationId)) === undefined) throw noApplication();
      return { data: (await apiKeys.list(applicationId)).map(viewApiKey) };
    },

    async revoke(applicationId, keyId, by = EMBEDDED) {
      const entry = audit(by, { applicationId, action: 'apiKey.revoked', target: keyId });
      if (!(await apiKeys.revoke(applicationId, keyId, clock.now(), entry))) {
        throw new KalendsError('NotFound', 'There is no such API key.');
      }
    },

    authenticate: (key) => verifier.authenticate(key),
  };
}

/** Returns the end of a key's life: a date begins in UTC, `90d` counts from now. */
function expiryOf(written: string, now: number): number {
  return written.endsWith('d') ? now + Number.parseInt(written, 10) * DAY_MS : Date.parse(written);
}

function viewApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    readOnly: row.readOnly,
    canReadCredentials: row.canReadCredentials,
    expiresAt: isoText(row.expiresAt),
    revokedAt: isoText(row.revokedAt),
    lastUsedAt: isoText(row.lastUsedAt),
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

const isoText = (at: number | null) => (at === null ? null : new Date(at).toISOString());
