import type { Calendar } from '../model/index.ts';
import type { ProviderCalendar } from '../ports/index.ts';

/** A calendar as the interface shows it. */
export function presentCalendar(calendar: ProviderCalendar): Calendar {
  return {
    id: calendar.id,
    name: calendar.name,
    hexColor: calendar.hexColor,
    readOnly: calendar.readOnly,
    isPrimary: calendar.isPrimary,
    isShared: calendar.isShared,
    timeZone: calendar.timeZone,
    inviteEmail: calendar.inviteEmail,
    allowedOnlineMeetingProviders: [...calendar.allowedOnlineMeetingProviders],
    defaultOnlineMeetingProvider: calendar.defaultOnlineMeetingProvider,
  };
}
