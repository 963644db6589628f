import type { Connections } from './connections.ts';
import { isOutOfSpace, isWorthRepeating, NotCommittedError } from './failures.ts';
import { outOfSpace } from './refusals.ts';

/**
 * Runs a transaction, and runs it again while it stays uncommitted for a reason outside of it: a lost connection, or a race that
 * the database resolved by failing one side.
 * @throws StorageUnavailableError when the caller's timeout ends in an outage, and for a full disk at once; the last error when the time for races ends
 */
export async function repeated<Result>(
  { outageBackoff, raceBackoff, refusals }: Pick<Connections, 'outageBackoff' | 'raceBackoff' | 'refusals'>,
  run: () => Promise<Result>,
): Promise<Result> {
  const outage = outageBackoff(true);
  const races = raceBackoff();
  for (;;) {
    try {
      return await run();
    } catch (error) {
      refusals.note(error instanceof NotCommittedError ? error.cause : error);
      if (isOutOfSpace(error)) throw outOfSpace(error);
      if (!isWorthRepeating(error)) throw error;
      await (error instanceof NotCommittedError ? outage : races).wait(error);
    }
  }
}
