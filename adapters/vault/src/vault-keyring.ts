import { createHash } from 'node:crypto';
import { type Keyring, KeyringError, keyIdOf, WRAPPING_NAME_LENGTH } from 'kalends/ports';
import { isRecent } from 'kalends/runtime';
import { readOptions, type VaultKeyringOptions } from './options.ts';
import { createTransitClient } from './transit-client.ts';

export type { VaultKeyringOptions } from './options.ts';

/** How long the latest version of the key is taken for known. */
const VERSION_KNOWN_MS = 60_000;
const DATA_KEY_BYTES = 32;

/** Latest version of the key, and when Vault used it. */
interface Latest {
  readonly version: string;
  readonly at: number;
}

/**
 * Creates the keyring in the transit secrets engine of Vault or OpenBao. A wrapped key reads `1.<key id>.<Vault's ciphertext>`; the
 * id follows from namespace, mount and name of the key. The owner is bound as associated data, so Vault must be 1.13 or later
 * (OpenBao: any) and the key of an AEAD type, such as the default. The token needs `update` on `encrypt` and `decrypt` of the key, and no more.
 * Vault's own `rewrap` takes no associated data: keys are rewrapped by decrypting and encrypting.
 *
 * @throws KalendsError InvalidRequest naming the option that is unknown, missing or wrong
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 *
 * const keyring = vaultKeyring({
 *   address: 'https://vault.example.com:8200',
 *   token: () => readFile('/run/vault/token', 'utf8'),
 *   key: 'kalends',
 * });
 * ```
 */
export function vaultKeyring(options: VaultKeyringOptions): Keyring {
  const settings = readOptions(options);
  const { mount, key, namespace, transport } = settings;
  const { clock } = transport;
  const transit = createTransitClient(settings);
  const id = `vault:${namespace === undefined ? '' : `${namespace}/`}${mount}/${key}`;
  const keyId = createHash('sha256').update(`kalends/${id}`).digest('base64url').slice(0, 8);
  let latest: Latest | undefined;
  let bound: Promise<void> | undefined;

  const encrypt = async (plaintext: Uint8Array, owner: string): Promise<string> => {
    const askedAt = clock.now();
    const ciphertext = await transit.encrypt(plaintext, contextOf(owner));
    const version = versionOf(ciphertext);
    if (version === undefined) throw new KeyringError('unavailable', 'Vault answers with a ciphertext of unknown form');
    latest = { version, at: askedAt };
    return ciphertext;
  };

  /** Proves that Vault heeds the owner. One that does not know associated data would ignore it. */
  const proveBinding = async (): Promise<void> => {
    const probe = new Uint8Array(DATA_KEY_BYTES);
    const ciphertext = await encrypt(probe, 'probe');
    const opened = await transit.decrypt(ciphertext, contextOf('probe'));
    const isRefused = await transit.decrypt(ciphertext, contextOf('another')).then(
      () => false,
      (error) => {
        if (KeyringError.isInstance(error) && error.reason === 'unopened') return true;
        throw error;
      },
    );
    if (isRefused && opened.equals(probe)) return;
    throw new KeyringError(
      'unavailable',
      `the transit key "${key}" does not bind wrapped keys to their owners: use Vault 1.13 or later, and a key of type aes256-gcm96`,
    );
  };

  const ensureBound = (): Promise<void> => {
    bound ??= proveBinding().catch((error) => {
      bound = undefined;
      throw error;
    });
    return bound;
  };

  const wrap: Keyring['wrap'] = async (dataKey, owner) => {
    await ensureBound();
    return `1.${keyId}.${await encrypt(dataKey, owner)}`;
  };

  const ciphertextOf = (wrappedKey: string): { readonly ciphertext: string; readonly version: string } => {
    const ciphertext = keyIdOf(wrappedKey) === keyId ? wrappedKey.slice(WRAPPING_NAME_LENGTH) : '';
    const version = versionOf(ciphertext);
    if (version === undefined) throw new KeyringError('unopened', 'the wrapped key is malformed');
    return { ciphertext, version };
  };

  const unwrap: Keyring['unwrap'] = async (wrappedKey, owner) => {
    const { ciphertext } = ciphertextOf(wrappedKey);
    return await transit.decrypt(ciphertext, contextOf(owner));
  };

  return {
    id,
    keyIds: [keyId],
    wrap,
    unwrap,
    async rewrap(wrappedKey, owner) {
      const { version } = ciphertextOf(wrappedKey);
      const isKnown = latest !== undefined && isRecent(clock, latest.at, VERSION_KNOWN_MS);
      if (isKnown && version === latest?.version) return null;
      const rewrapped = await wrap(await unwrap(wrappedKey, owner), owner);
      return ciphertextOf(rewrapped).version === version ? null : rewrapped;
    },
    check: proveBinding,
  };
}

const contextOf = (owner: string) => JSON.stringify(['kalends', 'data-key', owner]);

/**
 * Returns the key version of a ciphertext, `v3` of `vault:v3:…`; undefined for another form, and for base64 with spare bits,
 * which Vault ignores: two texts would open as the same key.
 */
function versionOf(ciphertext: string): string | undefined {
  const [, version, body = ''] = /^\w+:(v[1-9]\d{0,8}):([A-Za-z0-9+/]+={0,2})$/.exec(ciphertext) ?? [];
  return Buffer.from(body, 'base64').toString('base64') === body ? version : undefined;
}
