import type { KalendsErrorOptions } from '../../errors.ts';
import { KalendsError, type Random, type Sealer } from '../../ports/index.ts';
import { decodeCanonical, decrypt, encrypt } from './aes-gcm.ts';
import { deriveKey, type Secrets } from './secrets.ts';

const NONCE_BYTES = 12;
const RETRY_MS = 30_000;

interface KeyEncryptionKey {
  readonly id: string;
  readonly key: Buffer;
}

/**
 * Creates envelope encryption over the engine's secrets. A wrapped key reads `1.<key id>.<base64url>`, a sealed value
 * `1.<base64url>`; both begin with their nonce.
 */
export function createSealer(secrets: Secrets, random: Random): Sealer {
  const keyOf = (secret: Uint8Array): KeyEncryptionKey => ({
    id: deriveKey(secret, 'key-encryption-key-id', 6).toString('base64url'),
    key: deriveKey(secret, 'key-encryption-key'),
  });
  const current = keyOf(secrets.current);
  const keys = [current, ...secrets.all.slice(1).map(keyOf)];

  const pack = (key: Uint8Array, plaintext: Uint8Array, context: string) => {
    const nonce = Buffer.from(random.bytes(NONCE_BYTES));
    return Buffer.concat([nonce, encrypt(key, nonce, plaintext, context)]).toString('base64url');
  };
  const wrap = (dataKey: Uint8Array, owner: string) =>
    `1.${current.id}.${pack(current.key, dataKey, wrapContext(owner))}`;

  const unwrap = (wrappedKey: string, owner: string) => {
    const [version, keyId, body] = wrappedKey.split('.');
    const wrapping = keys.find(({ id }) => id === keyId);
    if (version !== '1' || body === undefined) throw cannotOpen('the wrapped key is malformed');
    if (wrapping === undefined) {
      // A change of the configuration mends it, so callers may try again.
      throw cannotOpen('it was sealed under a secret that is not configured', { status: 503, retryAfterMs: RETRY_MS });
    }
    const dataKey = unpack(wrapping.key, body, wrapContext(owner));
    if (dataKey === undefined) throw cannotOpen('the wrapped key does not belong to its owner');
    return { dataKey, isCurrent: wrapping === current };
  };

  return {
    createKey: async (owner) => wrap(random.bytes(32), owner),
    async seal(wrappedKey, owner, field, plaintext) {
      const { dataKey } = unwrap(wrappedKey, owner);
      return `1.${pack(dataKey, Buffer.from(plaintext, 'utf8'), fieldContext(owner, field))}`;
    },
    async open(wrappedKey, owner, field, sealed) {
      const { dataKey } = unwrap(wrappedKey, owner);
      const [version, body] = sealed.split('.');
      const plaintext =
        version === '1' && body !== undefined ? unpack(dataKey, body, fieldContext(owner, field)) : undefined;
      if (plaintext === undefined) throw cannotOpen(`the sealed ${field} was altered or belongs elsewhere`);
      return plaintext.toString('utf8');
    },
    async rewrap(wrappedKey, owner) {
      const { dataKey, isCurrent } = unwrap(wrappedKey, owner);
      return isCurrent ? null : wrap(dataKey, owner);
    },
    keyIds: keys.map(({ id }) => id),
    keyIdOf: (wrappedKey) => /^1\.([\w-]{8})\./.exec(wrappedKey)?.[1],
  };
}

function unpack(key: Uint8Array, body: string, context: string): Buffer | undefined {
  const bytes = decodeCanonical(body);
  if (bytes === undefined || bytes.length <= NONCE_BYTES) return undefined;
  return decrypt(key, bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES), context);
}

const wrapContext = (owner: string) => JSON.stringify(['data-key', owner]);
const fieldContext = (owner: string, field: string) => JSON.stringify(['field', owner, field]);

function cannotOpen(reason: string, options: KalendsErrorOptions = {}): KalendsError {
  return new KalendsError('InternalError', `A stored secret cannot be opened: ${reason}`, options);
}
