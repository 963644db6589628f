export { type VaultKeyringOptions, vaultKeyring } from './vault-keyring.ts';
