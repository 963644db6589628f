import type { Sealer } from 'kalends/ports';
import {
  createLocalKeyring,
  createSealer,
  joinKeyrings,
  parseSecrets,
  systemClock,
  systemRandom,
} from 'kalends/runtime';

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** The sealer of an engine with these secrets and no other keyring. */
export function localSealer(secret: string, previousSecrets: readonly string[] = []): Sealer {
  return createSealer({
    keyring: joinKeyrings([createLocalKeyring(parseSecrets(secret, previousSecrets), systemRandom)]),
    clock: systemClock,
    random: systemRandom,
    logger: SILENT,
    cachedDataKeys: 1_000,
  });
}
