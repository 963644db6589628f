import { printComponents } from '../text/print-components.ts';
import { vtimezone } from '../write/vtimezone.ts';
import { ALL_TIMES, calendarHead } from './print-calendar.ts';

/** Returns a calendar of one VTIMEZONE, valid for all times: the form in which CalDAV writes a calendar's zone (RFC 4791 §5.2.2). */
export function printZone(timeZone: string): string {
  const properties = calendarHead();
  return printComponents([{ name: 'VCALENDAR', properties, components: [vtimezone(timeZone, ALL_TIMES)] }]);
}
