import { createHmac } from 'node:crypto';
import type { Random } from '../ports/index.ts';
import { decodeCanonical, decrypt, encrypt } from './aes-gcm.ts';
import { deriveKey, type Secrets } from './secrets.ts';

const SALT_BYTES = 16;

/** Turns bytes into opaque, URL-safe, authenticated texts and back. */
export interface ByteSealer {
  /** Four characters for each three bytes and for 32 more. Two seals of the same bytes differ. */
  seal(bytes: Uint8Array): string;
  /** The bytes, or undefined when the token is not ours, was made for another purpose, or was altered by a single bit. */
  open(token: string): Buffer | undefined;
}

/** Turns values into opaque, URL-safe, authenticated texts and back: page tokens, sync tokens. */
export interface TokenSealer {
  /** `value` is JSON-serialisable. Two seals of one value differ. */
  seal(value: unknown): string;
  /** The value, or undefined when the token is not ours, was made for another purpose, or was altered by a single bit. */
  open(token: string): unknown | undefined;
}

/**
 * Creates a sealer for one purpose (`page:accounts`, `authorization`): a token of one purpose never opens under another.
 * Tokens made under an earlier secret open as long as that one is in `secrets`.
 */
export function createByteSealer(secrets: Secrets, random: Random, purpose: string): ByteSealer {
  const keys = secrets.all.map((secret) => deriveKey(secret, `token/${purpose}`));
  const current = keys[0]!;
  return {
    seal(bytes) {
      const salt = Buffer.from(random.bytes(SALT_BYTES));
      const { key, nonce } = tokenKey(current, salt);
      return Buffer.concat([salt, encrypt(key, nonce, bytes, purpose)]).toString('base64url');
    },
    open(token) {
      const bytes = decodeCanonical(token);
      if (bytes === undefined || bytes.length <= SALT_BYTES) return undefined;
      const salt = bytes.subarray(0, SALT_BYTES);
      const body = bytes.subarray(SALT_BYTES);
      for (const candidate of keys) {
        const { key, nonce } = tokenKey(candidate, salt);
        const plaintext = decrypt(key, nonce, body, purpose);
        if (plaintext !== undefined) return plaintext;
      }
      return undefined;
    },
  };
}

/** Creates a byte sealer's counterpart for JSON values. */
export function createTokenSealer(secrets: Secrets, random: Random, purpose: string): TokenSealer {
  const bytes = createByteSealer(secrets, random, purpose);
  return {
    seal: (value) => bytes.seal(Buffer.from(JSON.stringify(value), 'utf8')),
    open(token) {
      const plaintext = bytes.open(token);
      return plaintext && JSON.parse(plaintext.toString('utf8'));
    },
  };
}

/** A key and nonce of its own for each token: 96-bit random nonces under one key would run into the birthday bound. */
function tokenKey(key: Uint8Array, salt: Uint8Array): { readonly key: Buffer; readonly nonce: Buffer } {
  const derived = createHmac('sha512', key).update(salt).digest();
  return { key: derived.subarray(0, 32), nonce: derived.subarray(32, 44) };
}
