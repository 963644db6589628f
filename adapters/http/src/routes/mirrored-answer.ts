import type { ErrorCode, PageJson, SyncPage } from 'kalends';
import { POLL_INTERVAL_HEADER, SYNCED_AT_HEADER } from '../age-headers.ts';
import { bytesResponse } from '../bytes-response.ts';
import { type Answer, REVALIDATE } from '../route.ts';

/** Error codes of routes that call a provider, which may refuse any call. */
export const PROVIDER_FAILURES: readonly ErrorCode[] = [
  'Forbidden',
  'ProviderError',
  'ProviderUnavailable',
  'ProviderTimeout',
];

/** Error codes of routes that refuse an EXPIRED account. */
export const EXPIRED_ACCOUNT: readonly ErrorCode[] = ['InvalidRefreshToken'];

/** Answers with a page of a mirrored list, and with the age of the mirror in headers. */
export function syncedAnswer<Item>({ syncedAt, pollEveryMs, etag, ...page }: SyncPage<Item>): Answer {
  return { body: page, headers: { etag, ...ageHeaders({ syncedAt, pollEveryMs }) } };
}

/** Answers with a serialized page, and with the age of the mirror in headers. */
export function serializedAnswer({ json, etag, ...age }: PageJson): Response {
  return bytesResponse(json, {
    'content-type': 'application/json',
    'cache-control': REVALIDATE,
    etag,
    ...ageHeaders(age),
  });
}

/** Returns the age of the mirror as headers. */
export function ageHeaders({
  syncedAt,
  pollEveryMs,
}: Pick<PageJson, 'syncedAt' | 'pollEveryMs'>): Record<string, string> {
  return {
    [SYNCED_AT_HEADER]: new Date(syncedAt).toISOString(),
    ...(pollEveryMs === null ? {} : { [POLL_INTERVAL_HEADER]: String(Math.ceil(pollEveryMs / 1_000)) }),
  };
}
