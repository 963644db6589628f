/**
 * Envelope encryption of secrets at rest: one data key per owner, wrapped by a key-encryption key with an id.
 * `owner` names whose key it is (application and account); `field` what is sealed. Both are bound as
 * additional authenticated data, so a sealed value moved to another row or column does not open.
 */
export interface Sealer {
  /** A new random data key, wrapped under the current key-encryption key. */
  createKey(owner: string): Promise<string>;
  /** @throws KalendsError InternalError when the wrapped key does not belong to the owner */
  seal(wrappedKey: string, owner: string, field: string, plaintext: string): Promise<string>;
  /** @throws KalendsError InternalError when anything was altered or does not belong together */
  open(wrappedKey: string, owner: string, field: string, sealed: string): Promise<string>;
  /** The same data key under the current key-encryption key, or null when it is so already. */
  rewrap(wrappedKey: string, owner: string): Promise<string | null>;
}
