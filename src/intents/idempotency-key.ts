import { invalid } from '../errors.ts';
import { contentHash } from '../mirror/index.ts';
import type { CollectionKey, IntentRow } from '../ports/index.ts';

const HEADER = 'Idempotency-Key';
const LONGEST = 255;

/**
 * The caller's key as an intent keeps it: scoped to the operation and where it is done. Undefined when there is none.
 * @throws KalendsError InvalidRequest naming the header
 */
export function idempotencyOf(
  operation: 'createEvent' | 'createCalendar',
  { accountId, calendarId }: CollectionKey,
  key: string | undefined,
  body: unknown,
): IntentRow['idempotency'] {
  if (key === undefined) return null;
  if (key === '' || key.length > LONGEST) throw invalid(HEADER, `must have 1 to ${LONGEST} characters`);
  if (!/^[\x20-\x7e]+$/.test(key)) throw invalid(HEADER, 'must consist of printable ASCII characters');
  // Hashed, so that texts of any length make a key of one length.
  return { key: contentHash([operation, accountId, calendarId, key]), bodyHash: contentHash(body) };
}
