import { canonicalJson } from '../sync/content-hash.ts';
import type { EventFilters } from './event-filters.ts';
import { givenFilters, type ListRequest } from './event-query.ts';

/**
 * The first parameter of a request that contradicts the filters a token was made with; undefined when none does.
 * Parameters that are left out contradict nothing, and a time that is written as it was then is the same time.
 */
export function contradiction(
  { query, displayZone }: ListRequest,
  sealed: EventFilters,
  calendarZone: string,
): string | undefined {
  const given = givenFilters(query, displayZone ?? calendarZone);
  const { startDateTime, endDateTime, updatedAfter, expandRecurrences, search, metadataFilters } = query;
  const sameTime = (name: keyof NonNullable<EventFilters['written']>, text: string, at: number | null | undefined) =>
    sealed.written?.[name] === text || at === sealedTime(sealed, name);
  if (startDateTime !== undefined && !sameTime('startDateTime', startDateTime, given.from)) return 'startDateTime';
  if (endDateTime !== undefined && !sameTime('endDateTime', endDateTime, given.to)) return 'endDateTime';
  if (updatedAfter !== undefined && !sameTime('updatedAfter', updatedAfter, given.updatedAfter)) return 'updatedAfter';
  if (expandRecurrences !== undefined && expandRecurrences !== sealed.expand) return 'expandRecurrences';
  if (search !== undefined && given.search !== sealed.search) return 'search';
  if (query.isAllDay !== undefined && query.isAllDay !== sealed.isAllDay) return 'isAllDay';
  if (query.isCancelled !== undefined && query.isCancelled !== sealed.isCancelled) return 'isCancelled';
  const sameMetadata = canonicalJson(given.metadata ?? null) === canonicalJson(sealed.metadata ?? null);
  return metadataFilters !== undefined && !sameMetadata ? 'metadataFilters' : undefined;
}

function sealedTime(sealed: EventFilters, name: 'startDateTime' | 'endDateTime' | 'updatedAfter') {
  if (name === 'startDateTime') return sealed.from;
  return name === 'endDateTime' ? sealed.to : sealed.updatedAfter;
}
