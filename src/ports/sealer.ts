/**
 * Envelope encryption of secrets at rest: one data key per owner, wrapped by a key-encryption key with an id.
 * `owner` (application and account) and `field` are bound as additional authenticated data, so a sealed value moved to
 * another row or column does not open.
 */
export interface Sealer {
  /** Creates a random data key, wrapped under the current key-encryption key. */
  createKey(owner: string): Promise<string>;
  /** @throws KalendsError InternalError when the wrapped key does not belong to the owner */
  seal(wrappedKey: string, owner: string, field: string, plaintext: string): Promise<string>;
  /** @throws KalendsError InternalError when a value was altered or the values do not belong together */
  open(wrappedKey: string, owner: string, field: string, sealed: string): Promise<string>;
  /** Wraps the data key under the current key-encryption key; null when it is already. */
  rewrap(wrappedKey: string, owner: string): Promise<string | null>;
  /** Ids of the key-encryption keys of the configured secrets, the current one first. They tell nothing about the secrets. */
  readonly keyIds: readonly string[];
  /** Returns the id of the key-encryption key that a data key is wrapped under; undefined for a malformed text. */
  keyIdOf(wrappedKey: string): string | undefined;
}
