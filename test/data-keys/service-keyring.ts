import { createHash } from 'node:crypto';
import { type Keyring, KeyringError } from 'kalends/ports';
import { createLocalKeyring, parseSecrets, systemRandom } from 'kalends/runtime';

/** A keyring that lives outside of the engine, like one in a service: it counts its calls, and can be taken away. */
export interface ServiceKeyring extends Keyring {
  /** Operations so far, in order: `wrap`, `unwrap`, `rewrap`, `check`. */
  readonly calls: string[];
  /** Makes every call fail as unavailable. */
  isAway: boolean;
}

/** Creates one. Keyrings of the same name are those of several processes. */
export function serviceKeyring(name: string): ServiceKeyring {
  const secret = createHash('sha256').update(name).digest('base64');
  const inner = createLocalKeyring(parseSecrets(secret), systemRandom);
  const calls: string[] = [];
  const call = async <Result>(operation: string, work: () => Promise<Result>): Promise<Result> => {
    calls.push(operation);
    if (keyring.isAway) throw new KeyringError('unavailable', 'the service was taken away by the test');
    return await work();
  };
  const keyring: ServiceKeyring = {
    id: name,
    keyIds: inner.keyIds,
    calls,
    isAway: false,
    wrap: (dataKey, owner) => call('wrap', () => inner.wrap(dataKey, owner)),
    unwrap: (text, owner) => call('unwrap', () => inner.unwrap(text, owner)),
    rewrap: (text, owner) => call('rewrap', () => inner.rewrap(text, owner)),
    check: () => call('check', () => inner.check()),
  };
  return keyring;
}
