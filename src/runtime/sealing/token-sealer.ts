import { createHmac } from 'node:crypto';
import type { Random } from '../../ports/index.ts';
import { decodeCanonical, decrypt, encrypt } from './aes-gcm.ts';
import { deriveKey, type Secrets } from './secrets.ts';

const SALT_BYTES = 16;

/** Turns bytes into opaque, URL-safe, authenticated texts and back. */
export interface ByteSealer {
  /** Seals bytes: four characters per three bytes, plus 32 bytes. Two seals of the same bytes differ. */
  seal(bytes: Uint8Array): string;
  /** Seals bytes so that equal bytes under one secret give equal texts: for tokens that contain only a position. */
  sealAlike(bytes: Uint8Array): string;
  /** Returns a keyed hash of 22 characters: equal for equal bytes under one secret, and revealing nothing of them. */
  fingerprint(bytes: Uint8Array): string;
  /** Returns the bytes; undefined when the token is foreign, made for another purpose, or altered by a single bit. */
  open(token: string): Buffer | undefined;
}

/** Turns values into opaque, URL-safe, authenticated texts and back: page tokens, sync tokens. */
export interface TokenSealer {
  /** Seals a JSON-serialisable value. Two seals of one value differ. */
  seal(value: unknown): string;
  /** Seals a value so that equal values under one secret give equal texts. */
  sealAlike(value: unknown): string;
  /** Returns a keyed hash of 22 characters: equal for equal values under one secret, and revealing nothing of them. */
  fingerprint(value: unknown): string;
  /** Returns the value; undefined when the token is foreign, made for another purpose, or altered by a single bit. */
  open(token: string): unknown | undefined;
}

/**
 * Creates a sealer for one purpose (`page:accounts`, `authorization`): a token of one purpose never opens under another.
 * Tokens made under an earlier secret open as long as that one is in `secrets`.
 */
export function createByteSealer(secrets: Secrets, random: Random, purpose: string): ByteSealer {
  const keyOf = (secret: Uint8Array) => deriveKey(secret, `token/${purpose}`);
  const current = keyOf(secrets.current);
  const keys = [current, ...secrets.all.slice(1).map(keyOf)];
  const sealWith = (salt: Buffer, bytes: Uint8Array): string => {
    const { key, nonce } = tokenKey(current, salt);
    return Buffer.concat([salt, encrypt(key, nonce, bytes, purpose)]).toString('base64url');
  };
  /** Uses another hash than token keys do, so that no value is one of theirs. */
  const keyedHash = (use: string, bytes: Uint8Array): Buffer =>
    createHmac('sha256', current).update(`${use}\0`).update(bytes).digest();
  return {
    seal: (bytes) => sealWith(Buffer.from(random.bytes(SALT_BYTES)), bytes),
    // The salt follows from the plaintext, as in RFC 5297 (SIV): no two plaintexts share a key and nonce.
    sealAlike: (bytes) => sealWith(keyedHash('salt', bytes).subarray(0, SALT_BYTES), bytes),
    fingerprint: (bytes) => keyedHash('fingerprint', bytes).toString('base64url').slice(0, 22),
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

/** Creates a sealer of JSON values for one purpose, as `createByteSealer` does for bytes. */
export function createTokenSealer(secrets: Secrets, random: Random, purpose: string): TokenSealer {
  const bytes = createByteSealer(secrets, random, purpose);
  const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value), 'utf8');
  return {
    seal: (value) => bytes.seal(bytesOf(value)),
    sealAlike: (value) => bytes.sealAlike(bytesOf(value)),
    fingerprint: (value) => bytes.fingerprint(bytesOf(value)),
    open(token) {
      const plaintext = bytes.open(token);
      return plaintext && JSON.parse(plaintext.toString('utf8'));
    },
  };
}

/** Derives a separate key and nonce per token: random 96-bit nonces under one key would meet the birthday bound. */
function tokenKey(key: Uint8Array, salt: Uint8Array): { readonly key: Buffer; readonly nonce: Buffer } {
  const derived = createHmac('sha512', key).update(salt).digest();
  return { key: derived.subarray(0, 32), nonce: derived.subarray(32, 44) };
}
