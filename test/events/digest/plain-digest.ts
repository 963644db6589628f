import { createHash } from 'node:crypto';

/** The digest of a list as docs/digest.md describes it, in the plainest way. */
export function plainDigest(records: Iterable<{ readonly id: string; readonly etag: string }>): string {
  let sum = 0n;
  for (const { id, etag } of records) {
    const text = Buffer.concat([Buffer.from(id, 'utf8'), Buffer.from([0]), Buffer.from(etag, 'utf8')]);
    const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
    let number = 0n;
    for (const byte of bytes) number = number * 256n + BigInt(byte);
    sum = (sum + number) % 2n ** 128n;
  }
  return sum.toString(16).padStart(32, '0');
}
