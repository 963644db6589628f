import type { Clock, Random } from 'kalends/ports';
import type { OutageMemory } from 'kalends/runtime';
import { isBusy } from './result-code.ts';

/** Time limit for another process's transaction; then it counts as stuck. */
const LIMIT_MS = 30_000;
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 50;

/**
 * Runs synchronous work, and runs it again while another connection holds the database. The driver's own busy timeout would
 * block the event loop.
 * @throws the driver's SQLITE_BUSY after half a minute
 */
export async function retryWhileBusy<Result>(
  work: () => Result,
  clock: Clock,
  random: Random,
  outages?: OutageMemory,
): Promise<Result> {
  const startedAt = clock.now();
  const deadline = startedAt + LIMIT_MS;
  for (let longest = FIRST_WAIT_MS; ; longest = Math.min(longest * 2, LONGEST_WAIT_MS)) {
    try {
      const result = work();
      outages?.reached();
      return result;
    } catch (error) {
      if (!isBusy(error)) throw error;
      outages?.missed(startedAt);
      if (clock.now() >= deadline) throw error;
    }
    await clock.sleep(longest * (0.5 + random.fraction() / 2));
  }
}
