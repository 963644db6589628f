import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretCheck } from '../data-keys/index.ts';
import type { Caller } from '../engine-interface.ts';
import { type ApiKeyRow, type ApiKeyStore, type Clock, KalendsError, type Logger } from '../ports/index.ts';
import { deriveKey, describeError, type Secrets } from '../runtime/index.ts';
import { isKeyText } from './api-key-text.ts';

/** Longer than any key: what is longer is hashed only up to here, so that a header's length costs nothing. */
const LONGEST_KEY = 128;

const PURPOSE = 'api-key-pepper';

/** How often a key's use is noted. */
const NOTED_EVERY_MS = 60_000;

/** Stores keys as peppered HMACs and recognizes them. */
export interface ApiKeyVerifier {
  /** Hex HMAC under the current pepper. */
  hash(key: string): string;
  /**
   * @throws KalendsError InvalidApiKey, the same whatever is wrong with the key; InternalError (503) while a secret is missing, under
   * which the key may have been made
   */
  authenticate(key: string | null | undefined): Promise<Caller>;
}

export function createApiKeyVerifier(dependencies: {
  readonly apiKeys: ApiKeyStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secrets: Secrets;
  readonly secretCheck: Pick<SecretCheck, 'requireComplete'>;
}): ApiKeyVerifier {
  const { apiKeys, clock, logger, secrets, secretCheck } = dependencies;
  const peppers = secrets.all.map((secret) => deriveKey(secret, PURPOSE));
  const currentPepper = deriveKey(secrets.current, PURPOSE);
  const hash = (pepper: Buffer, key: string) => createHmac('sha256', pepper).update(key, 'utf8').digest('hex');

  const noting = new Set<string>();
  /** Notes the use of a key, once a minute, and stores its hash under the current pepper. The caller does not wait for it. */
  const noteUse = (row: ApiKeyRow, key: string, now: number): void => {
    const current = hash(currentPepper, key);
    const isNoted = row.lastUsedAt !== null && now - row.lastUsedAt < NOTED_EVERY_MS;
    if ((isNoted && row.hash === current) || noting.has(row.id)) return;
    noting.add(row.id);
    const note = async () => {
      if (row.hash !== current) await apiKeys.replaceHash(row.id, row.hash, current);
      if (!isNoted) await apiKeys.noteUses([{ id: row.id, at: now }]);
    };
    note()
      .catch((error) => logger.warn('use of an API key not noted', { apiKeyId: row.id, error: describeError(error) }))
      .finally(() => noting.delete(row.id));
  };

  /** Does the same work for every input: a missing or malformed key takes the way of an unknown one. */
  const find = async (key: string): Promise<ApiKeyRow | undefined> => {
    const digests = peppers.map((pepper) => hash(pepper, key));
    // In one look: between two, another process may store the key's hash under another pepper.
    const row = await apiKeys.findByHash(...digests);
    const isSame = (digest: string) =>
      row !== undefined && timingSafeEqual(Buffer.from(row.hash, 'hex'), Buffer.from(digest, 'hex'));
    return digests.filter(isSame).length > 0 ? row : undefined;
  };

  return {
    hash: (key) => hash(currentPepper, key),
    async authenticate(key) {
      const text = (key ?? '').slice(0, LONGEST_KEY);
      const row = await find(text);
      const now = clock.now();
      const valid =
        isKeyText(text) &&
        row !== undefined &&
        row.revokedAt === null &&
        (row.expiresAt === null || row.expiresAt > now);
      if (!valid) {
        await secretCheck.requireComplete();
        throw new KalendsError('InvalidApiKey', 'The API key is missing or not valid.');
      }
      noteUse(row, text, now);
      const { applicationId, id: apiKeyId, canReadCredentials, readOnly } = row;
      return { applicationId, apiKeyId, canReadCredentials, readOnly };
    },
  };
}
