import { type Clock, type Logger, type Random, StorageUnavailableError } from 'kalends/ports';
import { createOutageMemory, type OutageMemory, outageTimeoutReader } from 'kalends/runtime';
import type { Pool, PoolClient } from 'pg';
import { type Backoff, createBackoff } from './backoff.ts';
import { isConnectionLost, isTooBusy, UnknownOutcomeError } from './failures.ts';
import { createRefusals, type Refusals } from './refusals.ts';

/** Time limit for running a transaction that keeps losing races again. */
const RACES_MS = 30_000;

/** Connections of a pool that survives restarts and fail-overs of the server. */
export interface Connections {
  /**
   * Returns a connection as soon as there is one. During an outage it waits up to the caller's timeout, unless there has
   * never been a connection: then the address is probably wrong.
   * @throws StorageUnavailableError when the timeout ends first, or the connections are being closed
   */
  acquire(): Promise<PoolClient>;
  /** Timeout of the answer to a statement, in milliseconds. */
  readonly statementTimeoutMs: number;
  /** Times at which the server could not be reached. */
  readonly outages: OutageMemory;
  /** Gives a connection back to the pool, which discards a lost one. */
  release(client: PoolClient, error?: unknown): void;
  /** Writes that the server refused. */
  readonly refusals: Refusals;
  /**
   * Backoff for what a lost connection interrupted. It ends with a StorageUnavailableError.
   * @param isWriting a server that takes no writes is away for it
   */
  outageBackoff(isWriting?: boolean): Backoff;
  /** Backoff for what lost a race. It ends with the last error. */
  raceBackoff(): Backoff;
  /** Ends all waits, then the pool. */
  close(): Promise<void>;
}

export interface ConnectionsOptions {
  readonly pool: Pool;
  /** Ends the pool; undefined for one of the host, which closing leaves alone. */
  readonly endPool: (() => Promise<void>) | undefined;
  /** Timeout of callers that set none, from the beginning of an outage. */
  readonly outageTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Told when the server goes and when it comes back. */
  readonly logger: Logger;
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { pool, endPool, outageTimeoutMs, statementTimeoutMs, clock, random, logger } = options;
  const ending = new AbortController();
  const ofCaller = outageTimeoutReader();
  const outages = createOutageMemory(clock);
  const refusals = createRefusals(clock, logger);
  const acquiredAt = new WeakMap<PoolClient, number>();
  let hasConnected = false;
  let awaySince: number | undefined;
  let closing: Promise<void> | undefined;
  // The pool reports idle connections that are lost; without a listener the event would end the process.
  const ignore = () => undefined;
  pool.on('error', ignore);
  // A connection that is lost in use fails its next statement. The listener comes before the pool hands the connection out: the
  // server may end it with its first packet.
  const guard = (client: PoolClient) => {
    if (!client.listeners('error').includes(ignore)) client.on('error', ignore);
  };
  pool.on('acquire', guard);

  const outageBackoff = (isWriting = false) => {
    const { limitMs, signal } = ofCaller() ?? { limitMs: outageTimeoutMs };
    return createBackoff({
      clock,
      random,
      limitMs,
      since: () => awaySince ?? (isWriting ? refusals.readOnlySince : undefined),
      signals: [signal, ending.signal],
      ending: unavailable,
    });
  };
  const noteAway = (error: unknown, since: number) => {
    if (awaySince !== undefined || isTooBusy(error)) return;
    awaySince = since;
    logger.warn('the database cannot be reached', { error: String(error) });
  };
  const noteBack = () => {
    hasConnected = true;
    if (awaySince === undefined) return;
    logger.info('the database can be reached again', { durationMs: clock.now() - awaySince });
    awaySince = undefined;
  };
  return {
    async acquire() {
      let waiting: Backoff | undefined;
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
          waiting ??= outageBackoff();
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
    refusals,
    statementTimeoutMs,
    outageBackoff,
    raceBackoff: () => createBackoff({ clock, random, limitMs: RACES_MS, signals: [ending.signal] }),
    close() {
      ending.abort(new Error('The storage is closing'));
      closing ??= endPool?.() ?? Promise.resolve(void pool.off('error', ignore).off('acquire', guard));
      return closing;
    },
  };
}

/** Makes the error that callers get when their timeout ends. */
export function unavailable(error: unknown): StorageUnavailableError {
  const what = error instanceof UnknownOutcomeError ? error.message : 'The database cannot be reached';
  return new StorageUnavailableError(what, error);
}
