/** An iCalendar text, or a change of one, that RFC 5545 or our limits do not allow. The message names field and rule, never a value. */
export class ICalendarError extends Error {
  /** The property, component or public field at fault: `DTSTART`, `BEGIN`, `attendees`, … */
  readonly field: string;

  constructor(field: string, rule: string) {
    super(`${field}: ${rule}`);
    this.name = 'ICalendarError';
    this.field = field;
  }
}
