import type { Clock, Logger, Random, StorageChanges, StorageTopic } from 'kalends/ports';
import { randomHex } from 'kalends/runtime';
import pg from 'pg';
import { createSockets, withinGoodbye } from './goodbye.ts';

/** NOTIFY locks the whole database: one for each transaction would cost most of its throughput. */
const SPACING_MS = 100;
const TOPICS: readonly StorageTopic[] = ['schedule', 'outbox'];
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 30_000;
const CONNECT_MS = 10_000;
/** Keep-alive of the session, which only listens: it detects a server that has vanished. */
const KEEP_ALIVE_MS = 10_000;

export interface ChangeFeedOptions {
  /** Reads the name of the channel, one for each set of tables in a database. */
  readonly channel: () => Promise<string>;
  /** Where to LISTEN: a session of its own, past any proxy that pools transactions. Undefined: nowhere. */
  readonly connectionString: string | undefined;
  /** Sends a NOTIFY, on any connection. */
  readonly send: (channel: string, payload: string) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Wakes other processes' workers. A hint only: what it misses is found by polling. */
export interface ChangeFeed extends StorageChanges {
  /** Notifies other processes, at most once in a tenth of a second. Never fails. */
  announce(topics: Iterable<StorageTopic>): void;
  close(): Promise<void>;
}

export function createChangeFeed(options: ChangeFeedOptions): ChangeFeed {
  const { channel, clock, random, logger, send } = options;
  const origin = randomHex(random, 8);
  const closing = new AbortController();
  const listeners = new Set<(topic: StorageTopic) => void>();
  const pending = new Set<StorageTopic>();
  let sending: Promise<void> | undefined;
  let listening: Promise<void> | undefined;

  const notify = async (payload: string) => send(await channel(), payload);

  const sendPending = async () => {
    while (pending.size > 0 && !closing.signal.aborted) {
      const payload = `${origin} ${[...pending].join(' ')}`;
      pending.clear();
      // Best effort: other processes find the work by polling.
      await notify(payload).catch((error: unknown) => logger.debug('notify failed', { error: String(error) }));
      await clock.sleep(SPACING_MS, closing.signal).catch(() => undefined);
    }
    sending = undefined;
  };

  const tell = (topics: readonly string[]) => {
    for (const topic of TOPICS) {
      if (topics.includes(topic)) for (const listener of listeners) listener(topic);
    }
  };

  const hear = ({ payload = '' }: { readonly payload?: string | undefined }) => {
    const [from, ...topics] = payload.split(' ');
    if (from !== origin) tell(topics);
  };

  const listen = async (connectionString: string) => {
    let isTold = false;
    const ready = () => {
      isTold = false;
      tell(TOPICS);
    };
    for (let backoffMs = FIRST_BACKOFF_MS; !closing.signal.aborted; backoffMs *= 2) {
      const { heldMs, reason } = await holdSession({ connectionString, channel }, hear, ready, clock, closing.signal);
      if (heldMs > LONGEST_BACKOFF_MS) backoffMs = FIRST_BACKOFF_MS;
      if (!closing.signal.aborted && !isTold) {
        logger.warn('the session that listens for changes was lost', { error: reason });
        isTold = true;
      }
      const waitMs = Math.min(backoffMs, LONGEST_BACKOFF_MS) * (0.5 + random.fraction() / 2);
      await clock.sleep(waitMs, closing.signal).catch(() => undefined);
    }
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (options.connectionString !== undefined) listening ??= listen(options.connectionString);
      return () => void listeners.delete(listener);
    },
    announce(topics) {
      for (const topic of topics) pending.add(topic);
      if (pending.size > 0 && !closing.signal.aborted) sending ??= sendPending();
    },
    async close() {
      closing.abort(new Error('The storage is closing'));
      await Promise.all([withinGoodbye(async () => sending), listening]);
    },
  };
}

/** Listens until the session is lost or the signal aborts; resolves with the duration, and the reason of a loss. */
async function holdSession(
  { connectionString, channel }: { readonly connectionString: string; readonly channel: () => Promise<string> },
  hear: (message: { readonly payload?: string | undefined }) => void,
  ready: () => void,
  clock: Clock,
  signal: AbortSignal,
): Promise<{ readonly heldMs: number; readonly reason: string }> {
  // A socket of our own can be destroyed while it connects; the client would wait for the outcome.
  const sockets = createSockets();
  const socket = sockets.create();
  const client = new pg.Client({
    connectionString,
    application_name: 'kalends listener',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: CONNECT_MS,
    stream: () => socket,
  });
  let isListening = false;
  let reason: unknown;
  // The signal outlives the session: each lost session would leave a listener on it.
  const over = new AbortController();
  const ended = new Promise<void>((resolve) => {
    client.on('error', (error) => {
      reason ??= error;
      resolve();
    });
    client.on('end', () => resolve());
    const abort = () => {
      if (!isListening) socket.destroy();
      resolve();
    };
    signal.addEventListener('abort', abort, { once: true, signal: over.signal });
  });
  client.on('notification', hear);
  const begunAt = clock.now();
  try {
    await client.connect();
    // The name is read on another connection, which must not keep the feed from closing.
    const name = await Promise.race([channel(), ended]);
    if (name !== undefined) {
      await client.query(`listen ${client.escapeIdentifier(name)}`);
      isListening = true;
      // Notifications may have been missed before the session listened.
      ready();
      await ended;
    }
  } catch (error) {
    // Reported as a lost session by the caller.
    reason ??= error;
  } finally {
    over.abort();
  }
  await sockets.end(() => client.end().catch(() => undefined));
  return { heldMs: clock.now() - begunAt, reason: String(reason ?? 'The server ended the session') };
}
