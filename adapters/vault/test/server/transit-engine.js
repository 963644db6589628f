// The transit secrets engine as Vault documents it: named keys with versions, AES-256-GCM, key derivation.
// Written from https://developer.hashicorp.com/vault/api-docs/secret/transit, not from the adapter.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const NONCE = 12;
const TAG = 16;

/** An answer that is no success. */
export class Refusal extends Error {
  constructor(status, ...errors) {
    super(errors.join('; '));
    this.status = status;
    this.errors = errors;
  }
}

const base64 = (text, field) => {
  if (text === undefined) return Buffer.alloc(0);
  // As in Go, the spare bits of the last character may be anything.
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) {
    throw new Refusal(400, `failed to base64-decode ${field}`);
  }
  return Buffer.from(text, 'base64');
};

/** Keys are plain objects, so that the storage file can hold them. */
export function newKey(name, { type = 'aes256-gcm96', derived = false } = {}) {
  if (type !== 'aes256-gcm96') throw new Refusal(400, `unknown key type ${type}`);
  const versions = { 1: randomBytes(32).toString('base64') };
  return { name, type, derived, versions, latest: 1, min_decryption_version: 1, deletion_allowed: false };
}

export function rotateKey(key) {
  key.latest += 1;
  key.versions[key.latest] = randomBytes(32).toString('base64');
}

export function configureKey(key, { min_decryption_version, deletion_allowed }) {
  if (min_decryption_version !== undefined) {
    if (min_decryption_version > key.latest)
      throw new Refusal(400, 'cannot set min decryption version above the latest');
    key.min_decryption_version = min_decryption_version;
  }
  if (deletion_allowed !== undefined) key.deletion_allowed = deletion_allowed;
}

export function describeKey(key) {
  const { name, type, derived, latest, min_decryption_version, deletion_allowed } = key;
  const keys = Object.fromEntries(Object.keys(key.versions).map((version) => [version, 0]));
  return { name, type, derived, keys, latest_version: latest, min_decryption_version, deletion_allowed };
}

function secretOf(key, version, context) {
  const secret = Buffer.from(key.versions[version], 'base64');
  if (!key.derived) return secret;
  if (context.length === 0)
    throw new Refusal(400, "missing 'context' for key derivation; the key was created using a derived key");
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), context, 32));
}

export function encrypt(key, { plaintext, context, associated_data }, { ignoresAssociatedData = false } = {}) {
  if (plaintext === undefined) throw new Refusal(400, 'missing plaintext to encrypt');
  const nonce = randomBytes(NONCE);
  const secret = secretOf(key, key.latest, base64(context, 'context'));
  const cipher = createCipheriv('aes-256-gcm', secret, nonce, { authTagLength: TAG });
  if (!ignoresAssociatedData) cipher.setAAD(base64(associated_data, 'associated_data'));
  const body = Buffer.concat([
    nonce,
    cipher.update(base64(plaintext, 'plaintext')),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return { ciphertext: `vault:v${key.latest}:${body.toString('base64')}`, key_version: key.latest };
}

export function decrypt(key, { ciphertext, context, associated_data }, { ignoresAssociatedData = false } = {}) {
  if (typeof ciphertext !== 'string' || ciphertext === '') throw new Refusal(400, 'missing ciphertext to decrypt');
  if (!ciphertext.startsWith('vault:v')) throw new Refusal(400, 'invalid ciphertext: no prefix');
  const [number, encoded, ...more] = ciphertext.slice('vault:v'.length).split(':');
  if (encoded === undefined || more.length > 0) throw new Refusal(400, 'invalid ciphertext: wrong number of fields');
  const version = Number(number);
  if (!Number.isInteger(version) || version < 0)
    throw new Refusal(400, 'invalid ciphertext: version number could not be decoded');
  if (version > key.latest) throw new Refusal(400, 'invalid ciphertext: version is too new');
  if (version < key.min_decryption_version) {
    throw new Refusal(400, 'ciphertext or signature version is disallowed by policy (too old)');
  }
  const bytes = base64(encoded, 'ciphertext');
  if (bytes.length < NONCE + TAG) throw new Refusal(400, 'invalid ciphertext length');
  const secret = secretOf(key, version, base64(context, 'context'));
  const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, NONCE), { authTagLength: TAG });
  if (!ignoresAssociatedData) decipher.setAAD(base64(associated_data, 'associated_data'));
  decipher.setAuthTag(bytes.subarray(-TAG));
  try {
    const plaintext = Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]);
    return { plaintext: plaintext.toString('base64') };
  } catch {
    throw new Refusal(400, 'cipher: message authentication failed');
  }
}

/** Vault's rewrap takes no associated data. */
export function rewrap(key, { ciphertext, context }) {
  const { plaintext } = decrypt(key, { ciphertext, context });
  return encrypt(key, { plaintext, context });
}
