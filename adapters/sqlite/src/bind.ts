/** A parameter that SQLite takes. */
export type BindValue = string | number | null;

/**
 * Checks parameters before they reach the driver, which would take a Date for named parameters and shift the rest,
 * turn booleans into numbers and lose the precision of large integers, all silently.
 * @throws TypeError naming the parameter
 */
export function bind(parameters: readonly unknown[]): BindValue[] {
  return parameters.map((value, index) => {
    if (value === null || typeof value === 'string') return value;
    if (
      typeof value === 'number' &&
      Number.isFinite(value) &&
      (!Number.isInteger(value) || Number.isSafeInteger(value))
    ) {
      return value;
    }
    throw new TypeError(`Parameter ${index + 1} must be a text, a finite safe number or null, not ${describe(value)}`);
  });
}

function describe(value: unknown): string {
  if (value === undefined) return 'undefined';
  return typeof value === 'object' ? Object.prototype.toString.call(value) : `${typeof value} ${String(value)}`;
}
