import { randomFillSync, randomInt } from 'node:crypto';
import type { Random } from '../../ports/index.ts';

/** A request to the operating system costs the same for thousands of bytes as for one id. */
const DRAWN_AT_ONCE = 8_192;

const drawn = new Uint8Array(DRAWN_AT_ONCE);
let used = DRAWN_AT_ONCE;

/** Cryptographically strong randomness. */
export const systemRandom: Random = {
  bytes(length) {
    if (length > DRAWN_AT_ONCE) return randomFillSync(new Uint8Array(length));
    if (used + length > DRAWN_AT_ONCE) {
      randomFillSync(drawn);
      used = 0;
    }
    const bytes = drawn.slice(used, used + length);
    // Issued bytes may become a secret: none of them stay here.
    drawn.fill(0, used, used + length);
    used += length;
    return bytes;
  },
  fraction: () => randomInt(2 ** 47) / 2 ** 47,
};
