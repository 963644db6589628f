import type { CollectionKey } from '../ports/index.ts';

/** Returns the name of the lease for pulls of a collection. */
export function pullLeaseName({ applicationId, accountId, calendarId }: CollectionKey): string {
  return `pull:${applicationId}:${accountId}:${calendarId ?? ''}`;
}

/** Returns the name of the lease for reconciliation of a calendar, which runs beside its pulls. */
export function reconciliationLeaseName({ applicationId, accountId, calendarId }: CollectionKey): string {
  return `reconciliation:${applicationId}:${accountId}:${calendarId ?? ''}`;
}

/** Returns the key of the calendar list of a collection's account. */
export function listKeyOf({ applicationId, accountId }: CollectionKey): CollectionKey {
  return { applicationId, accountId, calendarId: null };
}
