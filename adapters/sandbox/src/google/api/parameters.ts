import { badRequest } from './google-error.ts';

/** @throws GoogleError 400 for anything but true and false */
export function readBooleanParameter(parameters: URLSearchParams, name: string): boolean | undefined {
  const value = parameters.get(name);
  if (value === null) return undefined;
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw badRequest(`Invalid boolean value: '${value}'.`, name);
}

/** @throws GoogleError 400 for anything but a decimal integer of at least `minimum` */
export function readIntegerParameter(parameters: URLSearchParams, name: string, minimum: number): number | undefined {
  const value = parameters.get(name);
  if (value === null) return undefined;
  if (!/^\d{1,9}$/.test(value) || Number(value) < minimum) {
    throw badRequest(`Invalid value '${value}'. Values must be within the range: [${minimum}, 2147483647]`, name);
  }
  return Number(value);
}
