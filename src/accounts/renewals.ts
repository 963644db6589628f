import { setMaxListeners } from 'node:events';
import { createHeldLeases } from '../leases/index.ts';
import {
  type Clock,
  type CredentialRow,
  type Logger,
  ProviderError,
  type Storage,
  StorageUnavailableError,
} from '../ports/index.ts';
import { retry } from '../runtime/index.ts';

/** How often a process looks whether the one that holds the lease is done. */
const WAIT_STEP_MS = 200;
const LONGEST_WAIT_MS = 30_000;
/** How long a stopping process waits for renewals under way. */
const STOP_GRACE_MS = 2_000;
/** How often, and how many times, an answer is stored again while the storage is away: for half a minute. */
const STORE_RETRY_MS = 1_000;
const STORE_WAIT_MS = 30_000;

/** A change of an account's credentials that one process at a time makes. */
export interface Renewal {
  readonly accountId: string;
  /** Version of the credentials that need it. */
  readonly seenVersion: number;
  /** Reads the stored version. */
  readVersion(): Promise<number>;
  /** Asks the provider and stores the answer, unless the stored version is newer than `seenVersion`. */
  renew(): Promise<void>;
}

/** Renewals of credentials: one at a time for an account, over all processes. */
export interface Renewals {
  /** Renews, or waits for the renewal under way. Afterwards the stored credentials are newer, or the account is gone or ended. */
  run(renewal: Renewal): Promise<void>;
  /** The work's outcome, or `unavailable` as soon as the process gives up waiting, whether the work heeds it or not. */
  untilStopped<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /**
   * Stores an answer that a provider gives only once, through an outage of the storage of up to half a minute. The work may have
   * had its effect when it is repeated. @throws StorageUnavailableError after that time
   */
  store<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Lets renewals under way end, briefly: a rotated token that is thrown away may be the last one. Then gives them up. */
  stop(): Promise<void>;
}

export function createRenewals(dependencies: {
  readonly storage: Pick<Storage, 'leases'>;
  readonly clock: Clock;
  readonly logger: Logger;
}): Renewals {
  const { storage, clock, logger } = dependencies;
  const leases = createHeldLeases(storage.leases, { clock, logger });
  const flights = new Map<CredentialRow['accountId'], Promise<void>>();
  const stopping = new AbortController();
  // Each of many renewals at the same time listens to it: that is no leak.
  setMaxListeners(0, stopping.signal);

  const untilStopped: Renewals['untilStopped'] = async (work) => {
    const { signal } = stopping;
    const finished = new AbortController();
    const givenUp = new Promise<never>((_resolve, reject) => {
      const giveUp = () => reject(new ProviderError('unavailable', 'The engine is stopping.'));
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true, signal: finished.signal });
    });
    try {
      return await Promise.race([givenUp, work(signal)]);
    } finally {
      finished.abort();
    }
  };

  /** Renews under the lease, or waits for the process that holds it. */
  const runExclusively = async ({ accountId, seenVersion, readVersion, renew }: Renewal): Promise<void> => {
    const giveUpAt = clock.now() + LONGEST_WAIT_MS;
    for (;;) {
      const lease = await leases.claim(`refresh:${accountId}`);
      if (lease !== undefined) {
        return await leases.during(lease, renew);
      }
      if (clock.now() >= giveUpAt) {
        throw new ProviderError('timeout', 'Another process is still renewing the credentials.');
      }
      await untilStopped((signal) => clock.sleep(WAIT_STEP_MS, signal));
      if ((await readVersion()) !== seenVersion) return;
    }
  };

  return {
    untilStopped,
    store(work) {
      const giveUpAt = clock.now() + STORE_WAIT_MS;
      return retry(work, {
        clock,
        attempts: STORE_WAIT_MS / STORE_RETRY_MS,
        shouldRetry: StorageUnavailableError.isInstance,
        // An attempt may take seconds too.
        delayMs: () => (clock.now() < giveUpAt ? STORE_RETRY_MS : undefined),
        signal: stopping.signal,
      });
    },
    run(renewal) {
      const { accountId } = renewal;
      const running = flights.get(accountId);
      if (running !== undefined) return running;
      const flight = runExclusively(renewal).finally(() => flights.delete(accountId));
      flights.set(accountId, flight);
      return flight;
    },
    async stop() {
      const settled = Promise.allSettled(flights.values());
      const ended = new AbortController();
      const grace = clock.sleep(STOP_GRACE_MS, ended.signal).catch(() => undefined);
      await Promise.race([settled, grace]);
      ended.abort();
      stopping.abort(new Error('The engine is stopping.'));
      await Promise.allSettled(flights.values());
    },
  };
}
