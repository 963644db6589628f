import { type ProviderCalendar, unreadableField } from '../ports/index.ts';
import { resolveZone } from '../zones/index.ts';
import { requireId } from './check-text.ts';

/** Returns the calendar. @throws ProviderError unreadable */
export function checkCalendar(calendar: ProviderCalendar): ProviderCalendar {
  requireId('id', calendar.id);
  if (resolveZone(calendar.timeZone) === undefined) throw unreadableField('timeZone', 'must be a known time zone');
  return calendar;
}
