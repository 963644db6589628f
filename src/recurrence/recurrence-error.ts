/** A recurrence that violates RFC 5545 or our rules for input. `part` names the property or rule part. */
export class RecurrenceError extends Error {
  /** `RRULE`, `EXDATE`, `BYDAY`, `dtstart`, … */
  readonly part: string;

  constructor(part: string, rule: string) {
    super(`${part}: ${rule}`);
    this.name = 'RecurrenceError';
    this.part = part;
  }
}

/** Names of properties and of parts of a rule. */
const NAME =
  /^(?:RRULE|EXRULE|RDATE|EXDATE|DTSTART|TZID|FREQ|INTERVAL|COUNT|UNTIL|WKST|BY[A-Z]{3,8}|X-[A-Z\d-]{1,20})$/i;

/** Returns the name of the part at fault, for reports that show no values: in a line of prose the part is the prose itself. */
export function namedPart({ part }: RecurrenceError): string {
  return NAME.test(part) ? part : 'a line';
}

/** A query that exceeds the work limit of one call. `part` names the reason. */
export class RecurrenceLimit extends RecurrenceError {
  constructor(part: string, rule: string) {
    super(part, rule);
    this.name = 'RecurrenceLimit';
  }
}
