import type { ErrorCode, SyncPage } from 'kalends';
import type { Answer } from '../route.ts';

/** What a provider that is asked may answer with. */
export const PROVIDER_FAILURES: readonly ErrorCode[] = ['ProviderError', 'ProviderUnavailable', 'ProviderTimeout'];

/** The account is EXPIRED. */
export const EXPIRED_ACCOUNT: readonly ErrorCode[] = ['InvalidRefreshToken'];

/** A page of a mirrored list, with the age of the mirror in a header. */
export function syncedAnswer<Item>({ syncedAt, ...page }: SyncPage<Item>): Answer {
  return { body: page, headers: { 'x-kalends-synced-at': new Date(syncedAt).toISOString() } };
}
