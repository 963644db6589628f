import type { ErrorCode, PageJson, SyncPage } from 'kalends';
import { bytesResponse } from '../bytes-response.ts';
import { type Answer, REVALIDATE } from '../route.ts';
import { SYNCED_AT_HEADER } from '../synced-at-header.ts';

/** Error codes of routes that call a provider. */
export const PROVIDER_FAILURES: readonly ErrorCode[] = ['ProviderError', 'ProviderUnavailable', 'ProviderTimeout'];

/** Error codes of routes that refuse an EXPIRED account. */
export const EXPIRED_ACCOUNT: readonly ErrorCode[] = ['InvalidRefreshToken'];

/** Answers with a page of a mirrored list, and with the age of the mirror in a header. */
export function syncedAnswer<Item>({ syncedAt, etag, ...page }: SyncPage<Item>): Answer {
  return { body: page, headers: { etag, [SYNCED_AT_HEADER]: new Date(syncedAt).toISOString() } };
}

/** Answers with a serialized page, and with the age of the mirror in a header. */
export function serializedAnswer({ json, syncedAt, etag }: PageJson): Response {
  return bytesResponse(json, {
    'content-type': 'application/json',
    'cache-control': REVALIDATE,
    etag,
    [SYNCED_AT_HEADER]: new Date(syncedAt).toISOString(),
  });
}
