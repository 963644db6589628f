import { KalendsError } from 'kalends';
import { isKeyringOutage } from 'kalends/runtime';

/** Returns whether clients are told an error. The message of an internal error is for the log alone, save that of an outage. */
export function isTold(error: unknown): error is KalendsError {
  return KalendsError.isInstance(error) && (error.code !== 'InternalError' || isKeyringOutage(error));
}
