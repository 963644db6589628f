/** An unwrapped data key, bound to its owner. */
export interface DataKey {
  seal(field: string, plaintext: string): string;
  /** @throws KalendsError InternalError when the value was altered or belongs elsewhere */
  open(field: string, sealed: string): string;
}

/**
 * Envelope encryption of secrets at rest: one data key per owner, wrapped by a keyring.
 * `owner` (application and account) and `field` are bound as additional authenticated data, so a sealed value moved to
 * another row or column does not open. While the keyring is unavailable, methods that need it reject with InternalError,
 * status 503; keys unwrapped shortly before still open.
 */
export interface Sealer {
  /** Resolves when keys can be created now: asked before a step outside that cannot be repeated. */
  ready(): Promise<void>;
  /** Creates a random data key, wrapped under the current key-encryption key. */
  createKey(owner: string): Promise<string>;
  /** @throws KalendsError InternalError when the wrapped key does not belong to the owner */
  seal(wrappedKey: string, owner: string, field: string, plaintext: string): Promise<string>;
  /** @throws KalendsError InternalError when a value was altered or the values do not belong together */
  open(wrappedKey: string, owner: string, field: string, sealed: string): Promise<string>;
  /** Unwraps the data key, to seal or open without the keyring from then on. @throws KalendsError as `open` does */
  unwrap(wrappedKey: string, owner: string): Promise<DataKey>;
  /** Wraps the data key under the current key-encryption key; null when it is already. */
  rewrap(wrappedKey: string, owner: string): Promise<string | null>;
  /** Ids of the key-encryption keys of the configured secrets, the current one first. They tell nothing about the secrets. */
  readonly keyIds: readonly string[];
  /** Returns the id of the key-encryption key that a data key is wrapped under; undefined for a malformed text. */
  keyIdOf(wrappedKey: string): string | undefined;
}
