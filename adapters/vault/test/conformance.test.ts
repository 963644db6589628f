import { keyringConformance, manualClock, waitlessClock } from '@kalends/conformance';
import { vaultKeyring } from '@kalends/vault';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { startVault, type VaultProcess } from './server/start-vault.ts';

let vault: VaultProcess;
beforeAll(async () => {
  vault = await startVault();
});
afterAll(() => vault.close());

/** A transit key for each world. */
let keys = 0;

/** Keys of both kinds that Vault derives ciphertexts from. */
describe.each([
  ['a key as Vault creates it', {}],
  ['a key with derivation', { derived: true }],
])('%s', (_name, parameters) => {
  keyringConformance({
    test,
    async createWorld() {
      keys += 1;
      const key = `key-${keys}`;
      await vault.operate('POST', `transit/keys/${key}`, parameters);
      const token = await vault.tokenFor(key);
      const clock = manualClock();
      const open = () =>
        vaultKeyring({ address: vault.address, token, key, clock: waitlessClock(clock.now, undefined, 3_000) });
      const keyring = open();
      const peer = open();
      return {
        keyring,
        peer,
        async rotate() {
          await vault.operate('POST', `transit/keys/${key}/rotate`);
          await clock.advance(60_000);
          return { keyring, peer };
        },
        outages: [
          { name: 'sealed', begin: vault.seal, end: vault.unseal },
          { name: 'away', begin: vault.kill, end: vault.restart },
          {
            name: 'without rights',
            begin: async () => void (await vault.operate('PUT', `sys/policies/acl/${key}`, { policy: '{}' })),
            end: async () => void (await vault.tokenFor(key)),
          },
        ],
        close: async () => undefined,
      };
    },
  });
});
