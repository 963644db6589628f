/** Records hashed at a time: all of a long list at once would take as much memory again. */
const AT_ONCE = 1_000;

/**
 * Returns the digest of a copy of a calendar's events, to compare with the `digest` of a sync result: 32 hexadecimal digits, the same
 * in any order of the records. Needs Web Crypto, which browsers have on secure pages alone.
 *
 * @example
 * ```ts
 * import { type CalendarEvent, memoryStore } from '@kalends/client';
 *
 * const copy = memoryStore<CalendarEvent>();
 * const store = { ...copy, readDigest: () => digestOf(copy.records.values()) };
 * await client.events.syncInto(store, accountId, calendarId, { digest: true });
 * ```
 */
export async function digestOf(records: Iterable<{ readonly id: string; readonly etag: string }>): Promise<string> {
  const encoder = new TextEncoder();
  let sum = 0n;
  let hashes: Promise<ArrayBuffer>[] = [];
  const addHashes = async () => {
    for (const hash of await Promise.all(hashes)) {
      const bytes = new DataView(hash);
      sum += (bytes.getBigUint64(0) << 64n) + bytes.getBigUint64(8);
    }
    hashes = [];
  };
  for (const { id, etag } of records) {
    hashes.push(crypto.subtle.digest('SHA-256', encoder.encode(`${id}\0${etag}`)));
    if (hashes.length === AT_ONCE) await addHashes();
  }
  await addHashes();
  return BigInt.asUintN(128, sum).toString(16).padStart(32, '0');
}
