import { type ProviderCalendar, unreadableField } from '../ports/index.ts';
import { resolveZone } from '../zones/index.ts';
import { requireId } from './check-text.ts';
import { portCalendar, requireShape } from './port-shapes.ts';

/** Returns the calendar. @throws ProviderError unreadable */
export function checkCalendar(calendar: ProviderCalendar): ProviderCalendar {
  requireShape(calendar, portCalendar);
  requireId('id', calendar.id);
  if (resolveZone(calendar.timeZone) === undefined) throw unreadableField('timeZone', 'must be a known time zone');
  return calendar;
}
