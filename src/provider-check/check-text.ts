import { unreadableField } from '../ports/index.ts';

/** More than any provider's ids have: an index of PostgreSQL takes keys of 2,700 bytes. */
const LONGEST_ID = 1_100;

const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Returns whether every storage can keep and look up an id. */
export function isUsableId(id: string): boolean {
  return id !== '' && id.length <= LONGEST_ID && !UNSTORABLE.test(id);
}

/** Returns a usable id as it is, any other as the empty text. */
export function usableId(id: string): string {
  return isUsableId(id) ? id : '';
}

/** @throws ProviderError unreadable */
export function requireId(field: string, id: string): void {
  if (isUsableId(id)) return;
  throw unreadableField(field, `must be Unicode text of 1 to ${LONGEST_ID} characters without U+0000`);
}
