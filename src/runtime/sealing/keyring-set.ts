import { type Keyring, KeyringError, keyIdOf } from '../../ports/index.ts';

/** The keyrings of an engine: the first wraps, all of them unwrap. */
export type Keyrings = readonly [Keyring, ...Keyring[]];

/**
 * Joins keyrings into one, which wraps with the first and unwraps with the one that has the key. A key that another keyring has
 * wrapped is rewrapped with the first.
 */
export function joinKeyrings(keyrings: Keyrings): Keyring {
  const [current, ...others] = keyrings;
  const keyringOf = (wrappedKey: string): Keyring => {
    const keyId = keyIdOf(wrappedKey);
    if (keyId === undefined) throw new KeyringError('unopened', 'the wrapped key is malformed');
    const keyring = keyrings.find(({ keyIds }) => keyIds.includes(keyId));
    if (keyring !== undefined) return keyring;
    throw new KeyringError(
      'not-configured',
      'it was sealed under a secret that is not configured, or by such a keyring',
    );
  };
  return {
    id: current.id,
    keyIds: [...current.keyIds, ...others.flatMap(({ keyIds }) => keyIds)],
    wrap: (dataKey, owner) => current.wrap(dataKey, owner),
    unwrap: async (wrappedKey, owner) => keyringOf(wrappedKey).unwrap(wrappedKey, owner),
    async rewrap(wrappedKey, owner) {
      const keyring = keyringOf(wrappedKey);
      if (keyring === current) return await current.rewrap(wrappedKey, owner);
      return await current.wrap(await keyring.unwrap(wrappedKey, owner), owner);
    },
    async check() {
      await Promise.all(keyrings.map((keyring) => keyring.check()));
    },
  };
}
