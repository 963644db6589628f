import { unreadableField } from '../ports/index.ts';

/**
 * Bytes of UTF-8, more than any provider's ids have: an index of PostgreSQL takes keys of 2,700 bytes, and that of an exception
 * has its series's id too.
 */
const LONGEST_ID = 1_100;

const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Returns whether every storage can keep and look up an id, and every address name it. */
export function isUsableId(id: unknown): id is string {
  if (typeof id !== 'string' || id === '' || Buffer.byteLength(id) > LONGEST_ID) return false;
  // As a step of an address, dots lead to another object.
  return id !== '.' && id !== '..' && !UNSTORABLE.test(id);
}

/** Returns a usable id as it is, any other as the empty text. */
export function usableId(id: unknown): string {
  return isUsableId(id) ? id : '';
}

/** @throws ProviderError unreadable */
export function requireId(field: string, id: unknown): void {
  if (isUsableId(id)) return;
  throw unreadableField(
    field,
    `must be Unicode text of 1 to ${LONGEST_ID} bytes of UTF-8 without U+0000, and not dots`,
  );
}
