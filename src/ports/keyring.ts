/**
 * Wraps data keys under a key-encryption key that is kept apart from the data: one derived from the engine's secret, or one in
 * a key management service. A wrapped key is a text without secrets: `1.`, the id of the key that wraps it, a dot, and what the
 * keyring likes. It is bound to its owner: under another owner it does not open. Every failure is a KeyringError.
 */
export interface Keyring {
  /** Names the keyring and its key to operators (`vault:transit/kalends`). Never a secret. */
  readonly id: string;
  /**
   * Ids of the keys that it unwraps under, the one that wraps first: 8 letters, digits, `_` and `-`, the same in every process,
   * which tell nothing about the keys. Versions of one key share its id.
   */
  readonly keyIds: readonly [string, ...string[]];
  /** Wraps a data key of 32 bytes under the current version of the key. */
  wrap(dataKey: Uint8Array, owner: string): Promise<string>;
  /** @throws KeyringError unopened when the text was altered, belongs to another owner, or its key version is gone */
  unwrap(wrappedKey: string, owner: string): Promise<Uint8Array>;
  /**
   * Wraps the data key under the current version of the key; null when it is already, as far as its text says. A version that
   * was made within the last minute may not count yet.
   * @throws KeyringError as `unwrap` does
   */
  rewrap(wrappedKey: string, owner: string): Promise<string | null>;
  /** Resolves when the keyring can wrap and unwrap now. @throws KeyringError unavailable, naming what an operator has to do */
  check(): Promise<void>;
}

/** Returns the id of the key that a data key is wrapped under; undefined for a malformed text. */
export function keyIdOf(wrappedKey: string): string | undefined {
  return /^1\.([\w-]{8})\./.exec(wrappedKey)?.[1];
}

/**
 * Reason of a failed call. `unavailable`: the keyring cannot be asked now, or refuses every key until an operator acts; the
 * wrapped keys are sound as far as it is known. `unopened`: this wrapped key does not open, now or later. `not-configured`: no
 * configured keyring has the key that wraps it.
 */
export type KeyringFailureReason = 'unavailable' | 'unopened' | 'not-configured';

const brand = Symbol.for('kalends.keyring-error');

/** A failed call of a keyring. The message is for operators. */
export class KeyringError extends Error {
  readonly reason: KeyringFailureReason;
  readonly [brand] = true;

  constructor(reason: KeyringFailureReason, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'KeyringError';
    this.reason = reason;
  }

  /** True for errors of any copy of this package in the process. */
  static isInstance(error: unknown): error is KeyringError {
    return error instanceof Error && brand in error;
  }
}
