import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../engine-interface.ts';
import { type ApiKeyRow, type ApiKeyStore, type Clock, KalendsError } from '../ports/index.ts';
import { deriveKey, type Secrets } from '../runtime/index.ts';
import { isKeyText } from './api-key-text.ts';

/** Longer than any key: what is longer is hashed only up to here, so that a header's length costs nothing. */
const LONGEST_KEY = 128;

const PURPOSE = 'api-key-pepper';

/** Stores keys as peppered HMACs and recognizes them. */
export interface ApiKeyVerifier {
  /** Hex HMAC under the current pepper. */
  hash(key: string): string;
  /** @throws KalendsError InvalidApiKey, the same whatever is wrong with the key */
  authenticate(key: string | null | undefined): Promise<Caller>;
}

export function createApiKeyVerifier(dependencies: {
  readonly apiKeys: ApiKeyStore;
  readonly clock: Clock;
  readonly secrets: Secrets;
}): ApiKeyVerifier {
  const { apiKeys, clock, secrets } = dependencies;
  const peppers = secrets.all.map((secret) => deriveKey(secret, PURPOSE));
  const hash = (pepper: Buffer, key: string) => createHmac('sha256', pepper).update(key, 'utf8').digest('hex');

  /** Does the same work for every input: a missing or malformed key takes the way of an unknown one. */
  const find = async (key: string): Promise<ApiKeyRow | undefined> => {
    let found: ApiKeyRow | undefined;
    for (const pepper of peppers) {
      const digest = hash(pepper, key);
      const row = await apiKeys.findByHash(digest);
      if (row !== undefined && timingSafeEqual(Buffer.from(row.hash, 'hex'), Buffer.from(digest, 'hex'))) found = row;
    }
    return found;
  };

  return {
    hash: (key) => hash(deriveKey(secrets.current, PURPOSE), key),
    async authenticate(key) {
      const text = (key ?? '').slice(0, LONGEST_KEY);
      const row = await find(text);
      const now = clock.now();
      const valid =
        isKeyText(text) &&
        row !== undefined &&
        row.revokedAt === null &&
        (row.expiresAt === null || row.expiresAt > now);
      if (!valid) throw new KalendsError('InvalidApiKey', 'The API key is missing or not valid.');
      return { applicationId: row.applicationId, apiKeyId: row.id, canReadCredentials: row.canReadCredentials };
    },
  };
}
