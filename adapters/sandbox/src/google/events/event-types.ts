import { GoogleError } from '../api/google-error.ts';
import type { EventFields } from '../google-state.ts';

const KNOWN = ['default', 'outOfOffice', 'focusTime', 'workingLocation', 'birthday'];

const REQUIRED_PROPERTIES: Readonly<Record<string, string>> = {
  outOfOffice: 'outOfOfficeProperties',
  focusTime: 'focusTimeProperties',
  workingLocation: 'workingLocationProperties',
};

const malformed = (type: string, message: string): GoogleError =>
  new GoogleError(400, `malformed${type.charAt(0).toUpperCase()}${type.slice(1)}Event`, message, {
    domain: 'calendar',
  });

/**
 * Checks the rules of status events: primary calendar only, no guests, timed (working locations and birthdays may be
 * all-day); focus time and out of office are busy and have properties of their own. `fromGmail` cannot be created through the
 * API.
 * @see https://developers.google.com/workspace/calendar/api/guides/calendar-status
 * @throws GoogleError 400
 */
export function checkEventType(fields: EventFields, isPrimary: boolean): void {
  const { eventType } = fields;
  if (eventType === 'default') return;
  if (!KNOWN.includes(eventType)) throw new GoogleError(400, 'invalid', 'Invalid event type.');
  if (!isPrimary) {
    throw new GoogleError(400, 'eventTypeRestriction', 'This event type can only be created on the primary calendar.', {
      domain: 'calendar',
    });
  }
  if (fields.attendees !== undefined) throw malformed(eventType, 'Attendees are not allowed for this event type.');
  const isAllDay = 'date' in fields.start;
  if (isAllDay && (eventType === 'outOfOffice' || eventType === 'focusTime')) {
    throw malformed(eventType, 'An event of this type cannot be all-day.');
  }
  const properties = REQUIRED_PROPERTIES[eventType];
  if (properties !== undefined) {
    if (fields.transparency === 'transparent' && eventType !== 'workingLocation')
      throw malformed(eventType, 'An event of this type must be opaque.');
    if (fields.typeProperties?.[properties] === undefined) throw malformed(eventType, `Missing ${properties}.`);
  }
  if (!isAllDay && eventType === 'birthday') throw malformed(eventType, 'A birthday event must be all-day.');
}
