/** A recurrence that breaks RFC 5545, or a rule of ours for input. `part` names the offending property or rule part. */
export class RecurrenceError extends Error {
  /** `RRULE`, `EXDATE`, `BYDAY`, `dtstart`, … */
  readonly part: string;

  constructor(part: string, rule: string) {
    super(`${part}: ${rule}`);
    this.name = 'RecurrenceError';
    this.part = part;
  }
}

/** A question about a recurrence whose answer would take more work than one call may do. `part` names the reason. */
export class RecurrenceLimit extends RecurrenceError {
  constructor(part: string, rule: string) {
    super(part, rule);
    this.name = 'RecurrenceLimit';
  }
}
