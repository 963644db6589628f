import { crc32 } from 'node:zlib';
import type { Random } from '../ports/index.ts';
import { randomText } from '../runtime/index.ts';

const BODY_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Returns a new API key: `kal_<environment>_<43 base62 characters>_<checksum>`. The checksum lets secret scanners and people
 * tell a mistyped key from a wrong one; it protects nothing.
 */
export function createKeyText(random: Random, environment: string): string {
  const head = `kal_${environment}_${randomText(random, BODY_LENGTH)}`;
  return `${head}_${checksum(head)}`;
}

/** Whether a text has the form of a key, checksum included. */
export function isKeyText(text: string): boolean {
  const [, head, digits] = /^(kal_[a-z0-9]{1,16}_[0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/.exec(text) ?? [];
  return head !== undefined && checksum(head) === digits;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let position = 0; position < CHECKSUM_LENGTH; position += 1) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
