import { badRequest, fullSyncRequired } from '../api/google-error.ts';

/** Content of a page token: the query, the revision of its first page, and the last key of the page. */
export interface PageState {
  readonly question: string;
  readonly revision: number;
  readonly after: readonly (string | number)[];
}

/** Content of a sync token. */
export interface SyncState {
  /** The resource and the parameters that must stay the same. */
  readonly question: string;
  readonly revision: number;
  readonly epoch: number;
  /** Bounds of the initial list, which incremental lists keep. */
  readonly timeMin: number | null;
  readonly timeMax: number | null;
}

export function sealPage(state: PageState): string {
  return seal('p', state);
}

export function sealSync(state: SyncState): string {
  return seal('s', state);
}

/** @throws GoogleError 400 for a token of another question or no token at all */
export function openPage(token: string, question: string): PageState {
  const state = unseal<PageState>('p', token);
  if (state === undefined || state.question !== question) throw badRequest('Invalid page token value.', 'pageToken');
  return state;
}

/** @throws GoogleError 400 for a token of another question or no token at all, 410 for an expired one */
export function openSync(token: string, question: string, epoch: number): SyncState {
  const state = unseal<SyncState>('s', token);
  if (state === undefined || state.question !== question) throw badRequest('Invalid sync token value.', 'syncToken');
  if (state.epoch !== epoch) throw fullSyncRequired();
  return state;
}

function seal(kind: string, state: unknown): string {
  return `${Buffer.from(JSON.stringify([kind, state])).toString('base64url')}=`;
}

function unseal<T>(kind: string, token: string): T | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    return Array.isArray(value) && value[0] === kind ? (value[1] as T) : undefined;
  } catch {
    return undefined;
  }
}

/** Compares keys component by component. */
export function compareKeys(one: readonly (string | number)[], other: readonly (string | number)[]): number {
  for (let index = 0; index < one.length; index += 1) {
    const left = one[index] ?? '';
    const right = other[index] ?? '';
    if (left < right) return -1;
    if (left > right) return 1;
  }
  return 0;
}

/** Returns the page of items after a key, in the order of keys. */
export function cutPage<T>(
  items: readonly { readonly key: readonly (string | number)[]; readonly item: T }[],
  after: readonly (string | number)[] | null,
  size: number,
): { readonly page: readonly T[]; readonly last: readonly (string | number)[] | null } {
  const sorted = items
    .filter((entry) => after === null || compareKeys(entry.key, after) > 0)
    .sort((one, other) => compareKeys(one.key, other.key));
  const page = sorted.slice(0, size);
  const last = sorted.length > size ? (page.at(-1)?.key ?? null) : null;
  return { page: page.map((entry) => entry.item), last };
}
