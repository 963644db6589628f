/**
 * Checks parameters before they reach the driver, which would send undefined as null and a Date in the process's zone.
 * @throws TypeError naming the parameter
 */
export function bind(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value, index) => {
    if (Array.isArray(value)) return value.map((element) => bindValue(element, index));
    return bindValue(value, index);
  });
}

function bindValue(value: unknown, index: number): string | number | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TypeError(`Parameter ${index + 1} must be a text, a finite number or null, not ${typeof value}`);
}
