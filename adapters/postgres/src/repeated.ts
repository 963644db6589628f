import type { Connections } from './connections.ts';
import { isWorthRepeating, NotCommittedError } from './failures.ts';

/**
 * Runs a transaction again for as long as it is left uncommitted by something that has nothing to do with it: a connection
 * that was lost, or a race that the database resolved by failing one side.
 * @throws StorageUnavailableError when the caller's patience with an outage ends; what was thrown last, when that with others does
 */
export async function repeated<Result>(
  { patience, patienceWithOthers }: Pick<Connections, 'patience' | 'patienceWithOthers'>,
  run: () => Promise<Result>,
): Promise<Result> {
  const outage = patience();
  const others = patienceWithOthers();
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isWorthRepeating(error)) throw error;
      await (error instanceof NotCommittedError ? outage : others).wait(error);
    }
  }
}
