import { createCipheriv, createDecipheriv } from 'node:crypto';

const TAG_BYTES = 16;

/** Encrypts with AES-256-GCM; the tag follows the ciphertext. */
export function encrypt(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, context: string): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context, 'utf8'));
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Returns the plaintext; undefined when anything was altered or the context differs. */
export function decrypt(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, context: string): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES)), decipher.final()]);
  } catch {
    // Node reports a failed authentication by throwing from final().
    return undefined;
  }
}

/** Decodes unpadded base64url; undefined when the text is not the canonical encoding of its bytes (spare bits altered). */
export function decodeCanonical(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
