import { randomBytes, randomInt } from 'node:crypto';
import type { Random } from '../ports/index.ts';

/** Cryptographically strong randomness. */
export const systemRandom: Random = {
  bytes: (length) => new Uint8Array(randomBytes(length)),
  fraction: () => randomInt(2 ** 47) / 2 ** 47,
};
