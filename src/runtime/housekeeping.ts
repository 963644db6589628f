import type { Clock, Storage } from '../ports/index.ts';

const EVERY_MS = 3_600_000;
/** Delivered and exhausted messages, and attempts, are kept this long. */
const MESSAGES_KEPT_MS = 30 * 86_400_000;

/** Removes what nobody can ask for any more (abandoned authorizations, old messages), hourly until the signal aborts. */
export async function keepHouse(
  storage: Pick<Storage, 'applications' | 'outbox'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await storage.applications.purgeAuthorizations(clock.now());
    await storage.outbox.purge(clock.now() - MESSAGES_KEPT_MS);
    await clock.sleep(EVERY_MS, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
  }
}
