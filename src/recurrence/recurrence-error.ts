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
