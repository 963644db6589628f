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

/** A query that exceeds the work limit of one call. `part` names the reason. */
export class RecurrenceLimit extends RecurrenceError {
  constructor(part: string, rule: string) {
    super(part, rule);
    this.name = 'RecurrenceLimit';
  }
}
