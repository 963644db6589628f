import type { Connections } from './connections.ts';
import { isWorthRepeating, NotCommittedError } from './failures.ts';

/**
 * Runs a transaction, and runs it again while it stays uncommitted for a reason outside of it: a lost connection, or a race that
 * the database resolved by failing one side.
 * @throws StorageUnavailableError when the caller's timeout ends in an outage; the last error when the time for races ends
 */
export async function repeated<Result>(
  { outageBackoff, raceBackoff }: Pick<Connections, 'outageBackoff' | 'raceBackoff'>,
  run: () => Promise<Result>,
): Promise<Result> {
  const outage = outageBackoff();
  const races = raceBackoff();
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isWorthRepeating(error)) throw error;
      await (error instanceof NotCommittedError ? outage : races).wait(error);
    }
  }
}
