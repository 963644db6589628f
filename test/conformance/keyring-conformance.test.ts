import { keyringConformance } from '@kalends/conformance';
import { createLocalKeyring, parseSecrets, systemRandom } from 'kalends/runtime';
import { describe, test } from 'vitest';

const OLD = Buffer.alloc(32, 1).toString('base64');
const NEW = Buffer.alloc(32, 2).toString('base64');

describe('the local keyring', () => {
  const open = (secret: string, ...previous: readonly string[]) =>
    createLocalKeyring(parseSecrets(secret, previous), systemRandom);
  keyringConformance({
    test,
    createWorld: async () => ({
      keyring: open(OLD, NEW),
      peer: open(OLD),
      rotate: async () => ({ keyring: open(NEW, OLD), peer: open(NEW, OLD) }),
      outages: undefined,
      close: async () => undefined,
    }),
  });
});
