import { type Keyring, KeyringError, type Random } from '../../ports/index.ts';
import { decodeCanonical, decrypt, encrypt } from './aes-gcm.ts';
import { deriveKey, type Secrets } from './secrets.ts';

const NONCE_BYTES = 12;

interface KeyEncryptionKey {
  readonly id: string;
  readonly key: Buffer;
}

/** Returns the id of a secret, 8 characters that tell nothing about it. Data keys that it wraps name it. */
export function secretIdOf(secret: Uint8Array): string {
  return deriveKey(secret, 'key-encryption-key-id', 6).toString('base64url');
}

/**
 * Creates the keyring over the engine's secrets. A wrapped key reads `1.<key id>.<base64url>`, the last part beginning with its
 * nonce. It wraps under the current secret, and unwraps under the previous ones too.
 */
export function createLocalKeyring(secrets: Secrets, random: Random): Keyring {
  const keyOf = (secret: Uint8Array): KeyEncryptionKey => ({
    id: secretIdOf(secret),
    key: deriveKey(secret, 'key-encryption-key'),
  });
  const current = keyOf(secrets.current);
  const keys = [current, ...secrets.all.slice(1).map(keyOf)];

  const wrap = (dataKey: Uint8Array, owner: string): string => {
    const nonce = Buffer.from(random.bytes(NONCE_BYTES));
    const body = Buffer.concat([nonce, encrypt(current.key, nonce, dataKey, wrapContext(owner))]);
    return `1.${current.id}.${body.toString('base64url')}`;
  };

  const unwrap = (wrappedKey: string, owner: string) => {
    const [version, keyId, body, ...more] = wrappedKey.split('.');
    const bytes = body === undefined ? undefined : decodeCanonical(body);
    if (version !== '1' || bytes === undefined || more.length > 0 || bytes.length <= NONCE_BYTES) {
      throw new KeyringError('unopened', 'the wrapped key is malformed');
    }
    const wrapping = keys.find(({ id }) => id === keyId);
    if (wrapping === undefined) throw new KeyringError('unopened', 'it was sealed under another secret');
    const [nonce, sealed] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)];
    const dataKey = decrypt(wrapping.key, nonce, sealed, wrapContext(owner));
    if (dataKey === undefined) throw new KeyringError('unopened', 'the wrapped key does not belong to its owner');
    return { dataKey, isCurrent: wrapping === current };
  };

  return {
    id: `local:${current.id}`,
    keyIds: [current.id, ...keys.slice(1).map(({ id }) => id)],
    wrap: async (dataKey, owner) => wrap(dataKey, owner),
    unwrap: async (wrappedKey, owner) => unwrap(wrappedKey, owner).dataKey,
    async rewrap(wrappedKey, owner) {
      const { dataKey, isCurrent } = unwrap(wrappedKey, owner);
      return isCurrent ? null : wrap(dataKey, owner);
    },
    check: async () => undefined,
  };
}

const wrapContext = (owner: string) => JSON.stringify(['data-key', owner]);
