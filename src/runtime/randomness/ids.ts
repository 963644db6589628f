import type { Random } from '../../ports/index.ts';

/** Prefixes of the ids that we create. */
export type IdPrefix =
  | 'app'
  | 'key'
  | 'acc'
  | 'crd'
  | 'prv'
  | 'whs'
  | 'whe'
  | 'msg'
  | 'att'
  | 'chn'
  | 'req'
  | 'aud'
  | 'fed'
  | 'hld'
  | 'imp';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns a text of `length` characters drawn uniformly from [0-9A-Za-z]. */
export function randomText(random: Random, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(length * 2)) {
      // 248 is the largest multiple of 62 in a byte: larger values would favour the first letters.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** Returns a new id: prefix, underscore, 22 random characters (131 bits). */
export function createId(random: Random, prefix: IdPrefix): string {
  return `${prefix}_${randomText(random, 22)}`;
}

/** Numbers that an ordered id has room for: three characters. */
const MOST_ORDERED = ALPHABET.length ** 3;

/** Returns a new id whose order among those of one prefix is that of `number`: 19 of its characters are random (113 bits). */
export function createOrderedId(random: Random, prefix: IdPrefix, number: number): string {
  const rest = number % MOST_ORDERED;
  const digits = [Math.floor(rest / ALPHABET.length ** 2), Math.floor(rest / ALPHABET.length), rest];
  return `${prefix}_${digits.map((digit) => ALPHABET[digit % ALPHABET.length]).join('')}${randomText(random, 19)}`;
}

/** Returns random lower-case hexadecimal digits, two per byte. */
export function randomHex(random: Random, bytes = 16): string {
  return Buffer.from(random.bytes(bytes)).toString('hex');
}
