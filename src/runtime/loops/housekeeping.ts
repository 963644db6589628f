import type { Clock, Storage } from '../../ports/index.ts';

const EVERY_MS = 3_600_000;
/** Retention of delivered and exhausted messages and of attempts. */
const MESSAGES_KEPT_MS = 30 * 86_400_000;
/** Marks outlive their states, so that processes whose clocks differ agree on them. */
const USED_STATES_KEPT_MS = 3_600_000;
/** Far longer than any holder continues to work under an expired lease. */
const LEASES_KEPT_MS = 86_400_000;
const LEASES_AT_ONCE = 1_000;
const INTENTS_AT_ONCE = 1_000;
const HOLDS_AT_ONCE = 1_000;
/** Reports of imports that are over name UIDs of events. */
const IMPORTS_KEPT_MS = 30 * 86_400_000;
const IMPORTS_AT_ONCE = 10;
const ENTRIES_AT_ONCE = 1_000;
const MEASUREMENTS_KEPT_MS = 48 * 3_600_000;
const MEASUREMENTS_AT_ONCE = 1_000;

/** How long records are kept that have an option for it. */
export interface Retention {
  readonly clock: Clock;
  readonly auditKeptMs: number;
  readonly accountMessagesKeptMs: number;
}

/**
 * Removes expired records (used states, old messages, leases, idempotency keys, reports of imports, holds, audit entries,
 * measurements) hourly until the signal aborts.
 */
export async function runHousekeeping(
  storage: Pick<
    Storage,
    'usedStates' | 'outbox' | 'leases' | 'intents' | 'imports' | 'holds' | 'audit' | 'erasure' | 'measurements'
  >,
  { clock, auditKeptMs, accountMessagesKeptMs }: Retention,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await storage.usedStates.purge(clock.now() - USED_STATES_KEPT_MS);
    await storage.erasure.purgeMessages(clock.now() - accountMessagesKeptMs);
    await storage.outbox.purge(clock.now() - MESSAGES_KEPT_MS);
    const old = { endedForMs: LEASES_KEPT_MS, limit: LEASES_AT_ONCE };
    while ((await storage.leases.purge(old)) === LEASES_AT_ONCE && !signal.aborted);
    while ((await storage.intents.purge(INTENTS_AT_ONCE)) === INTENTS_AT_ONCE && !signal.aborted);
    while ((await storage.holds.purge(HOLDS_AT_ONCE)) === HOLDS_AT_ONCE && !signal.aborted);
    const importsEnd = clock.now() - IMPORTS_KEPT_MS;
    while ((await storage.imports.purge(importsEnd, IMPORTS_AT_ONCE)) === IMPORTS_AT_ONCE && !signal.aborted);
    const auditEnd = clock.now() - auditKeptMs;
    while ((await storage.audit.purge(auditEnd, ENTRIES_AT_ONCE)) === ENTRIES_AT_ONCE && !signal.aborted);
    const measuredEnd = clock.now() - MEASUREMENTS_KEPT_MS;
    while (
      (await storage.measurements.purge(measuredEnd, MEASUREMENTS_AT_ONCE)) === MEASUREMENTS_AT_ONCE &&
      !signal.aborted
    );
    await storage.erasure.settle();
    await clock.sleep(EVERY_MS, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
  }
}
