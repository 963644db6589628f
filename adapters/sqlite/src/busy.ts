import type { Clock, Random } from 'kalends/ports';
import { type OutageMemory, outageTimeoutReader } from 'kalends/runtime';
import type { Mutex } from './mutex.ts';
import { isBusy } from './result-code.ts';

/** How long callers that set no timeout wait for the end of another process's transaction. */
export const LIMIT_MS = 5_000;
/** Least wait of every caller: the ordinary transactions of other processes are no outage. */
const SHORTEST_MS = 1_000;
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 50;

/** The waits for a database that another connection holds. */
export interface BusyWaits {
  /**
   * Begins the wait of a caller. Returns whether it has to end: the database is held, and has been for as long as the caller's
   * timeout says.
   */
  begin(): () => boolean;
  /**
   * Runs synchronous work, and runs it again while another connection holds the database. The driver's own busy timeout would
   * block the event loop.
   * @throws what `refused` makes, when the wait ends first
   */
  run<Result>(work: () => Result): Promise<Result>;
}

export interface BusyWaitsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly outages: OutageMemory | undefined;
  /** Makes the error of a caller whose wait has ended. */
  readonly refused: (error: unknown) => Error;
  /** Where callers wait for the one that is trying; their waits end as its own does. */
  readonly line: Pick<Mutex, 'turnAway'>;
}

export function createBusyWaits({ clock, random, outages, refused, line }: BusyWaitsOptions): BusyWaits {
  const ofCaller = outageTimeoutReader();
  let heldSince: number | undefined;

  const begin = () => {
    const { limitMs, signal } = ofCaller() ?? { limitMs: LIMIT_MS };
    const askedAt = clock.now();
    return () =>
      heldSince !== undefined &&
      (signal?.aborted === true || clock.now() >= Math.max(heldSince + limitMs, askedAt + SHORTEST_MS));
  };

  return {
    begin,
    async run(work) {
      const isOver = begin();
      for (let longest = FIRST_WAIT_MS; ; longest = Math.min(longest * 2, LONGEST_WAIT_MS)) {
        try {
          const result = work();
          outages?.reached();
          heldSince = undefined;
          return result;
        } catch (error) {
          if (!isBusy(error)) throw error;
          heldSince ??= clock.now();
          outages?.missed(heldSince);
          line.turnAway(() => refused(error));
          if (isOver()) throw refused(error);
        }
        await clock.sleep(longest * (0.5 + random.fraction() / 2));
      }
    },
  };
}
