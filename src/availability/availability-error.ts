/** A query that violates a rule. `field` is its path, such as `participants[1].openHours[0].end`. */
export class AvailabilityError extends Error {
  readonly field: string;
  /** The rule that the field breaks, such as `must be a list`. */
  readonly rule: string;

  constructor(field: string, rule: string) {
    super(`${field}: ${rule}`);
    this.name = 'AvailabilityError';
    this.field = field;
    this.rule = rule;
  }
}
