import type { CalendarRef, ItemVersion, ItemWrite, ProviderCalendar } from '../ports/index.ts';
import { contentHash } from './content-hash.ts';

/** Returns the calendar of a version. The content is trusted: only `calendarWrite` creates it. */
export function storedCalendar(version: ItemVersion): ProviderCalendar {
  return { ...(version.content as Omit<ProviderCalendar, 'providerTag'>), providerTag: version.providerTag };
}

/** Creates the write that mirrors a calendar. */
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

/** Returns the calendar as provider calls take it. @param timeZone zone of its events' collection, if known */
export function calendarRef(calendar: ProviderCalendar, timeZone = calendar.timeZone): CalendarRef {
  return {
    id: calendar.id,
    timeZone: timeZone === '' ? calendar.timeZone : timeZone,
    isPrimary: calendar.isPrimary,
    isShared: calendar.isShared,
    inviteEmail: calendar.inviteEmail,
    allowedOnlineMeetingProviders: calendar.allowedOnlineMeetingProviders,
    defaultOnlineMeetingProvider: calendar.defaultOnlineMeetingProvider,
  };
}
