import { once } from 'node:events';
import { createServer } from 'node:net';
import { manualClock, seededRandom } from '@kalends/conformance';
import { postgres } from '@kalends/postgres';
import { StorageUnavailableError } from 'kalends/ports';
import { systemClock, systemRandom, withOutageTimeout } from 'kalends/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBackoff } from '../src/backoff.ts';
import { createChangeFeed } from '../src/change-feed.ts';
import { type PostgresServer, startPostgres } from './server/start-postgres.ts';

const silent = () => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const FOR_EVER = Number.MAX_SAFE_INTEGER;

describe('a backoff', () => {
  const options = { random: seededRandom(1), signals: [] };

  test('ends at its time limit, counted from the beginning of the outage', async () => {
    const clock = manualClock();
    const beganAt = clock.now() - 3_000;
    const backoff = createBackoff({ ...options, clock, limitMs: 5_000, since: () => beganAt });
    const last = new Error('away');
    let isOver = false;
    const waiting = (async () => {
      for (;;) await backoff.wait(last);
    })().finally(() => {
      isOver = true;
    });
    waiting.catch(silent);
    await clock.advance(1_999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    await expect(waiting).rejects.toBe(last);
  });

  test('ends at once without a time limit', async () => {
    await expect(
      createBackoff({ ...options, clock: manualClock(), limitMs: 0 }).wait(new Error('away')),
    ).rejects.toThrow('away');
  });

  test('removes its listeners after each wait from signals that may live as long as the process', async () => {
    const life = new AbortController();
    const given: (AbortSignal | undefined)[] = [];
    const clock = { now: () => 0, sleep: async (_ms: number, signal?: AbortSignal) => void given.push(signal) };
    const backoff = createBackoff({ ...options, clock, limitMs: 5_000, signals: [undefined, life.signal] });
    await backoff.wait(new Error('away'));
    life.abort();
    expect(given.map((signal) => signal?.aborted)).toEqual([false]);
    await backoff.wait(new Error('away'));
    expect(given.map((signal) => signal?.aborted)).toEqual([false, true]);
  });
});

describe('an unreachable server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  async function withoutServer(outageTimeoutMs: number) {
    const { promise: away, resolve } = deferred();
    const storage = postgres({
      connectionString: server.url,
      outageTimeoutMs,
      listen: false,
      logger: { ...logger, warn: (message) => message === 'the database cannot be reached' && resolve() },
    });
    await storage.open();
    await server.goAway();
    return { storage, away };
  }

  test('is reported at once, when the caller aborts, or not at all when it comes back in time', async () => {
    const { storage } = await withoutServer(FOR_EVER);
    const claim = () => storage.leases.claim('x', 1_000);
    await expect(withOutageTimeout({ limitMs: 0 }, () => storage.health.inspect())).rejects.toThrow(
      StorageUnavailableError,
    );
    await expect(withOutageTimeout({ limitMs: 0 }, claim)).rejects.toThrow(StorageUnavailableError);
    const stopping = new AbortController();
    const waiting = withOutageTimeout({ limitMs: FOR_EVER, signal: stopping.signal }, claim);
    stopping.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow(StorageUnavailableError);
    const until = storage.leases.claim('y', 1_000);
    await server.comeBack();
    expect(await until).toEqual({ epoch: expect.any(Number) });
    await storage.close();
  });

  test('does not delay closing', async () => {
    const { storage, away } = await withoutServer(FOR_EVER);
    const waiting = expect(storage.leases.claim('z', 1_000)).rejects.toThrow(StorageUnavailableError);
    await away;
    await storage.close();
    await waiting;
    await server.comeBack();
  });
});

test('a listening session that gets no answer does not keep the feed from closing', { timeout: 8_000 }, async () => {
  const mute = createServer((socket) => socket.on('error', silent)).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const address = mute.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const feed = createChangeFeed({
    channel: async () => 'kalends_changes',
    connectionString: `postgres://nobody@127.0.0.1:${port}/nothing`,
    send: async () => undefined,
    clock: systemClock,
    random: systemRandom,
    logger,
  });
  const met = once(mute, 'connection');
  feed.subscribe(silent);
  await met;
  await feed.close();
  mute.close();
});

function deferred() {
  let resolve: () => void = silent;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
