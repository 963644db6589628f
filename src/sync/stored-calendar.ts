import type { CalendarRef, ItemVersion, ItemWrite, ProviderCalendar } from '../ports/index.ts';
import { contentHash } from './content-hash.ts';

/** The stored form of a calendar. Only this module wrote it, so it is trusted. */
export function storedCalendar(version: ItemVersion): ProviderCalendar {
  return { ...(version.content as Omit<ProviderCalendar, 'providerTag'>), providerTag: version.providerTag };
}

/** The write that mirrors a calendar. */
export function calendarWrite(calendar: ProviderCalendar, mappingVersion: number): ItemWrite {
  const { providerTag, ...content } = calendar;
  return {
    itemId: calendar.id,
    groupId: calendar.id,
    content,
    etag: contentHash(content),
    providerTag,
    mappingVersion,
    rangeStart: null,
    rangeEnd: null,
  };
}

/** What provider calls need to know of a calendar. `timeZone` is the one of its events' collection, where known. */
export function calendarRef(calendar: ProviderCalendar, timeZone = calendar.timeZone): CalendarRef {
  return {
    id: calendar.id,
    timeZone: timeZone === '' ? calendar.timeZone : timeZone,
    isPrimary: calendar.isPrimary,
    isShared: calendar.isShared,
    allowedOnlineMeetingProviders: calendar.allowedOnlineMeetingProviders,
    defaultOnlineMeetingProvider: calendar.defaultOnlineMeetingProvider,
  };
}
