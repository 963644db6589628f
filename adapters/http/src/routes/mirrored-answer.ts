import type { ErrorCode, PageJson, SyncPage } from 'kalends';
import { bytesResponse } from '../bytes-response.ts';
import { type Answer, REVALIDATE } from '../route.ts';

/** What a provider that is asked may answer with. */
export const PROVIDER_FAILURES: readonly ErrorCode[] = ['ProviderError', 'ProviderUnavailable', 'ProviderTimeout'];

/** The account is EXPIRED. */
export const EXPIRED_ACCOUNT: readonly ErrorCode[] = ['InvalidRefreshToken'];

/** A page of a mirrored list, with the age of the mirror in a header. */
export function syncedAnswer<Item>({ syncedAt, etag, ...page }: SyncPage<Item>): Answer {
  return { body: page, headers: { etag, 'x-kalends-synced-at': new Date(syncedAt).toISOString() } };
}

/** The same of a page that comes printed. */
export function printedAnswer({ json, syncedAt, etag }: PageJson): Response {
  return bytesResponse(json, {
    'content-type': 'application/json',
    'cache-control': REVALIDATE,
    etag,
    'x-kalends-synced-at': new Date(syncedAt).toISOString(),
  });
}
