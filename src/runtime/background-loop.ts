import { setMaxListeners } from 'node:events';
import { type Clock, type Logger, type Random, StorageUnavailableError } from '../ports/index.ts';
import { withPatience } from './outage-patience.ts';

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;
/** Nobody waits for an answer, and what is begun is better ended than done again. */
const OUTAGE_PATIENCE_MS = 30_000;
/** What waits for a storage that is away goes on soon after that is back. */
const LONGEST_OUTAGE_BACKOFF_MS = 5_000;

/** Background work under supervision. */
export interface BackgroundLoop {
  /** Aborts the work's signal and resolves when it has ended. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Runs `work`, which goes on until its signal is aborted. Whenever it ends by itself, by an error or not, that is logged
 * and it is started again after 1 s, doubling to 60 s (±20 %) while it keeps failing within a minute of its start; to 5 s when
 * it is the storage that is away. An outage of the storage is waited out for half a minute first.
 */
export function startLoop(
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
  runtime: { readonly clock: Clock; readonly logger: Logger; readonly random: Random },
): BackgroundLoop {
  const { clock, logger, random } = runtime;
  const stopping = new AbortController();
  const { signal } = stopping;
  // Each of many calls at the same time may listen to it: that is no leak.
  setMaxListeners(0, signal);
  const supervise = async () => {
    let failures = 0;
    while (!signal.aborted) {
      const startedAt = clock.now();
      let longestBackoffMs = LONGEST_BACKOFF_MS;
      try {
        await withPatience({ limitMs: OUTAGE_PATIENCE_MS, signal }, () => work(signal));
        if (!signal.aborted) logger.warn('background loop ended early', { loop: name });
      } catch (error) {
        if (signal.aborted) return;
        if (StorageUnavailableError.isInstance(error)) longestBackoffMs = LONGEST_OUTAGE_BACKOFF_MS;
        logger.error('background loop failed', { loop: name, error: describeError(error) });
      }
      if (signal.aborted) return;
      failures = clock.now() - startedAt > LONGEST_BACKOFF_MS ? 1 : failures + 1;
      const backoffMs = Math.min(longestBackoffMs, FIRST_BACKOFF_MS * 2 ** (failures - 1));
      await clock.sleep(jittered(backoffMs, random), signal).catch(() => undefined);
    }
  };
  const ended = supervise();
  return {
    stop() {
      stopping.abort(new Error('The engine is stopping.'));
      return ended;
    },
  };
}

/** The duration ±20 %, so that processes and retries do not move in step. */
export function jittered(ms: number, random: Random): number {
  return Math.round(ms * (0.8 + 0.4 * random.fraction()));
}

/** Name and message of an error, for log fields. */
export function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
