import { readFile } from 'node:fs/promises';
import { type VaultKeyringOptions, vaultKeyring } from '@kalends/vault';
import { type EngineOptions, KalendsError } from 'kalends';
import { CommandError } from '../command-error.ts';
import type { Settings } from '../settings.ts';

/** Settings by the options of the Vault keyring, for messages. */
const SETTING_OF: Readonly<Record<string, string>> = {
  address: 'VAULT_ADDR',
  key: 'KALENDS_VAULT_KEY',
  mount: 'KALENDS_VAULT_MOUNT',
  namespace: 'VAULT_NAMESPACE',
  token: 'VAULT_TOKEN',
};

/**
 * Returns the keyrings of the configuration. Vault takes part where a key is named: it wraps where KALENDS_KEYRING says so, and
 * unwraps otherwise.
 * @throws CommandError for settings of Vault that are missing or invalid
 */
export function keyringsOf(settings: Settings): Pick<EngineOptions, 'keyring' | 'previousKeyrings'> {
  const { keyring, vaultKey } = settings;
  if (vaultKey === undefined) {
    if (keyring === 'local') return {};
    throw new CommandError('KALENDS_KEYRING=vault needs KALENDS_VAULT_KEY, the name of a transit key');
  }
  const vault = openVault(optionsOf(settings, vaultKey));
  return keyring === 'vault' ? { keyring: vault } : { previousKeyrings: [vault] };
}

function optionsOf(settings: Settings, key: string): VaultKeyringOptions {
  const { vaultAddress: address, vaultMount: mount, vaultNamespace: namespace, vaultToken, vaultTokenFile } = settings;
  if (address === undefined)
    throw new CommandError('KALENDS_VAULT_KEY needs VAULT_ADDR, such as https://vault.example.com:8200');
  // A file goes first: an agent keeps the token in it alive.
  const token = vaultTokenFile === undefined ? vaultToken : () => readFile(vaultTokenFile, 'utf8');
  if (token === undefined) throw new CommandError('KALENDS_VAULT_KEY needs VAULT_TOKEN or VAULT_TOKEN_FILE');
  return { address, token, key, mount, ...(namespace === undefined ? {} : { namespace }) };
}

function openVault(options: VaultKeyringOptions) {
  try {
    return vaultKeyring(options);
  } catch (error) {
    if (!KalendsError.isInstance(error) || error.details?.[0] === undefined) throw error;
    const [{ path, message }] = error.details;
    throw new CommandError(`the configuration is invalid: ${SETTING_OF[path] ?? path} ${message}`);
  }
}
