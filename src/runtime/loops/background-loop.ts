import { setMaxListeners } from 'node:events';
import { type Clock, type Logger, type Random, StorageUnavailableError } from '../../ports/index.ts';
import { withOutageTimeout } from '../outages/outage-timeout.ts';

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;
/** Long, since no caller waits for an answer, and finishing work is cheaper than starting it again. */
const OUTAGE_TIMEOUT_MS = 30_000;
/** Short, so that work resumes soon after the storage returns. */
const LONGEST_OUTAGE_BACKOFF_MS = 5_000;

/** Background work under supervision. */
export interface BackgroundLoop {
  /** Aborts the work's signal and resolves when it has ended. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Runs `work` until its signal is aborted. When it ends earlier, by an error or not, the loop logs that and starts it again
 * after 1 s, doubling to 60 s (±20 %) while it keeps failing within a minute of its start; to 5 s when the storage is away. Each
 * storage call of the work first waits out an outage of up to half a minute.
 */
export function startLoop(
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
  runtime: { readonly clock: Clock; readonly logger: Logger; readonly random: Random },
): BackgroundLoop {
  const { clock, logger, random } = runtime;
  const stopping = new AbortController();
  const { signal } = stopping;
  // Many concurrent calls listen to this signal, which is no leak.
  setMaxListeners(0, signal);
  const supervise = async () => {
    let failures = 0;
    while (!signal.aborted) {
      const startedAt = clock.now();
      let longestBackoffMs = LONGEST_BACKOFF_MS;
      try {
        await withOutageTimeout({ limitMs: OUTAGE_TIMEOUT_MS, signal }, () => work(signal));
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

/** Returns the duration ±20 %, so that processes and retries do not synchronise. */
export function jittered(ms: number, random: Random): number {
  return Math.round(ms * (0.8 + 0.4 * random.fraction()));
}

/** Returns name and message of an error, for log fields. */
export function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
