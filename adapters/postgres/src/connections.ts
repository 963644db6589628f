import { type Clock, type Logger, type Random, StorageUnavailableError } from 'kalends/ports';
import { createOutageMemory, type OutageMemory, outagePatienceReader } from 'kalends/runtime';
import type { Pool, PoolClient } from 'pg';
import { isConnectionLost, isTooBusy, UnknownOutcomeError } from './failures.ts';
import { createPatience, type Patience } from './patience.ts';

/** How long a transaction that keeps losing races is run again. */
const RACES_MS = 30_000;

/** Connections of a pool that outlives restarts and fail-overs of the server. */
export interface Connections {
  /**
   * A connection, as soon as there is one. An outage is waited out with the caller's patience, unless there has never been
   * a connection: then the address is more likely to be wrong.
   * @throws StorageUnavailableError when that ends first, or the connections are being closed
   */
  acquire(): Promise<PoolClient>;
  /** How long the answer to a statement is waited for, in milliseconds. */
  readonly statementTimeoutMs: number;
  /** When the server could not be reached. */
  readonly outages: OutageMemory;
  /** Gives it back; one that is lost is thrown away. */
  release(client: PoolClient, error?: unknown): void;
  /** For trying again what a lost connection cut short. It ends with a StorageUnavailableError. */
  patience(): Patience;
  /** For trying again what lost a race. It ends with the last error. */
  patienceWithOthers(): Patience;
  /** Ends all waits, then the pool. */
  close(): Promise<void>;
}

export interface ConnectionsOptions {
  readonly pool: Pool;
  /** Whether closing ends the pool. */
  readonly isOwned: boolean;
  /** The patience of callers who have said nothing of theirs, from the beginning of an outage. */
  readonly outagePatienceMs: number;
  readonly statementTimeoutMs: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Told when the server goes and when it comes back. */
  readonly logger: Logger;
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { pool, isOwned, outagePatienceMs, statementTimeoutMs, clock, random, logger } = options;
  const ending = new AbortController();
  const ofCaller = outagePatienceReader();
  const outages = createOutageMemory(clock);
  const acquiredAt = new WeakMap<PoolClient, number>();
  let hasConnected = false;
  let awaySince: number | undefined;
  let closing: Promise<void> | undefined;
  // Connections that are lost while they rest are reported here; without a listener that would end the process.
  const ignore = () => undefined;
  pool.on('error', ignore);
  // The same for those that are lost in use: the next statement says so. Listened for before the pool hands them out, as the
  // server's last word may come with its first.
  const guard = (client: PoolClient) => {
    if (!client.listeners('error').includes(ignore)) client.on('error', ignore);
  };
  pool.on('acquire', guard);

  const patience = () => {
    const { limitMs, signal } = ofCaller() ?? { limitMs: outagePatienceMs };
    return createPatience({
      clock,
      random,
      limitMs,
      since: () => awaySince,
      signals: [signal, ending.signal],
      ending: unavailable,
    });
  };
  const noteAway = (error: unknown, since: number) => {
    if (awaySince !== undefined || isTooBusy(error)) return;
    awaySince = since;
    logger.warn('the database is away', { error: String(error) });
  };
  const noteBack = () => {
    hasConnected = true;
    if (awaySince === undefined) return;
    logger.info('the database is back', { durationMs: clock.now() - awaySince });
    awaySince = undefined;
  };
  return {
    async acquire() {
      let waiting: Patience | undefined;
      for (;;) {
        const triedAt = clock.now();
        try {
          const client = await pool.connect();
          acquiredAt.set(client, clock.now());
          noteBack();
          return client;
        } catch (error) {
          if (!hasConnected || closing !== undefined || !isConnectionLost(error)) throw error;
          outages.missed(triedAt);
          noteAway(error, triedAt);
          waiting ??= patience();
          await waiting.wait(error);
        }
      }
    },
    release(client, error) {
      const isLost = error !== undefined && isConnectionLost(error);
      if (isLost) outages.missed(acquiredAt.get(client) ?? clock.now());
      else outages.reached();
      client.release(isLost);
    },
    outages,
    statementTimeoutMs,
    patience,
    patienceWithOthers: () => createPatience({ clock, random, limitMs: RACES_MS, signals: [ending.signal] }),
    close() {
      ending.abort(new Error('The storage is closing'));
      closing ??= isOwned ? pool.end() : Promise.resolve(void pool.off('error', ignore).off('acquire', guard));
      return closing;
    },
  };
}

/** What callers get in the end. */
export function unavailable(error: unknown): StorageUnavailableError {
  const what = error instanceof UnknownOutcomeError ? error.message : 'The database cannot be reached';
  return new StorageUnavailableError(what, error);
}
