import { KalendsError } from 'kalends';

/** Creates the error of an option that cannot be used. */
export function invalidOption(path: string, message: string): KalendsError {
  return new KalendsError('InvalidRequest', `${path}: ${message}`, { details: [{ path, message }] });
}
