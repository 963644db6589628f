import type { CollectionKey } from '../ports/index.ts';

/** Name of the lease under which a collection is pulled, by at most one process at a time. */
export function pullLeaseName({ applicationId, accountId, calendarId }: CollectionKey): string {
  return `pull:${applicationId}:${accountId}:${calendarId ?? ''}`;
}

/** Name of the lease under which a calendar is compared as a whole, beside its pulls. */
export function deepCheckLeaseName({ applicationId, accountId, calendarId }: CollectionKey): string {
  return `deep:${applicationId}:${accountId}:${calendarId ?? ''}`;
}

/** The calendar list of the account that a collection belongs to. */
export function listKeyOf({ applicationId, accountId }: CollectionKey): CollectionKey {
  return { applicationId, accountId, calendarId: null };
}
