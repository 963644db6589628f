import type { Clock, Random } from 'kalends/ports';
import type { OutageMemory } from 'kalends/runtime';
import type { Mutex } from './mutex.ts';
import { isBusy } from './result-code.ts';

/** How long callers wait for the end of another process's transaction. */
export const LIMIT_MS = 5_000;
/** Least wait of every caller, and the pause between two meetings of a lock that makes them two: ordinary transactions are no outage. */
const SHORTEST_MS = 1_000;
/** Longest wait, also while other processes commit one transaction after the other. */
export const LONGEST_MS = 30_000;
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 50;

/** The waits for a database that another connection holds. */
export interface BusyWaits {
  /** Begins the wait of a caller. Returns whether it has to end: one transaction has held the database for as long as the limit says. */
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
  /** How long one transaction of another process is waited for. @default LIMIT_MS */
  readonly limitMs?: () => number;
  /** A number that each commit of another process changes; undefined before the database is open. */
  readonly commits: () => unknown;
  /** Makes the error of a caller whose wait has ended. */
  readonly refused: (error: unknown) => Error;
  /** Where callers wait for the one that is trying; their waits end as its own does. */
  readonly line: Pick<Mutex, 'turnAway'>;
}

export function createBusyWaits(options: BusyWaitsOptions): BusyWaits {
  const { clock, random, outages, limitMs = () => LIMIT_MS, commits, refused, line } = options;
  /** The transaction of another process that was met last: since when, and when last. */
  let held: { readonly since: number; readonly at: number; readonly commits: unknown } | undefined;

  /** Where the other process keeps readers out too, its commits cannot be counted: it counts as the same transaction. */
  const seenCommits = (): unknown => {
    try {
      return commits();
    } catch (error) {
      if (!isBusy(error)) throw error;
      return held?.commits;
    }
  };

  const meet = (): number => {
    const now = clock.now();
    const seen = seenCommits();
    const isSame = held !== undefined && held.commits === seen && now - held.at < SHORTEST_MS;
    held = { since: isSame ? (held?.since ?? now) : now, at: now, commits: seen };
    return held.since;
  };

  const begin = () => {
    const askedAt = clock.now();
    return () => {
      if (held === undefined) return false;
      const now = clock.now();
      return now >= Math.max(held.since + limitMs(), askedAt + SHORTEST_MS) || now >= askedAt + LONGEST_MS;
    };
  };

  return {
    begin,
    async run(work) {
      const isOver = begin();
      for (let longest = FIRST_WAIT_MS; ; longest = Math.min(longest * 2, LONGEST_WAIT_MS)) {
        try {
          const result = work();
          outages?.reached();
          held = undefined;
          return result;
        } catch (error) {
          if (!isBusy(error)) throw error;
          const since = meet();
          outages?.missed(since);
          line.turnAway(() => refused(error));
          if (isOver()) throw refused(error);
        }
        await clock.sleep(longest * (0.5 + random.fraction() / 2));
      }
    },
  };
}
