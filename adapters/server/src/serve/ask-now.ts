import type { Clock } from 'kalends/ports';
import { withDeadline, withOutageTimeout } from 'kalends/runtime';

/** A database that does not answer for this long counts as unreachable. */
const TIMEOUT_MS = 3_000;

/**
 * Asks the storage for those who watch the process. It does not wait for the end of an outage, as the process is unready during it.
 * @throws DeadlineError when there is no answer within three seconds
 */
export function askNow<Result>(clock: Clock, ask: () => Promise<Result>): Promise<Result> {
  return withDeadline(clock, TIMEOUT_MS, () => withOutageTimeout({ limitMs: 0 }, ask));
}
