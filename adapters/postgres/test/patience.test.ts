import { once } from 'node:events';
import { createServer } from 'node:net';
import { postgres } from '@kalends/postgres';
import { manualClock, seededRandom } from 'kalends/conformance';
import { StorageUnavailableError } from 'kalends/ports';
import { systemClock, systemRandom, withPatience } from 'kalends/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChangeFeed } from '../src/change-feed.ts';
import { createPatience } from '../src/patience.ts';
import { type PostgresServer, startPostgres } from './server/start-postgres.ts';

const silent = () => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const FOR_EVER = Number.MAX_SAFE_INTEGER;

describe('patience', () => {
  const options = { random: seededRandom(1), signals: [] };

  test('ends with its time, counted from when the trouble began', async () => {
    const clock = manualClock();
    const beganAt = clock.now() - 3_000;
    const patience = createPatience({ ...options, clock, limitMs: 5_000, since: () => beganAt });
    const last = new Error('away');
    let isOver = false;
    const waiting = (async () => {
      for (;;) await patience.wait(last);
    })().finally(() => {
      isOver = true;
    });
    waiting.catch(silent);
    await clock.advance(1_999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    await expect(waiting).rejects.toBe(last);
  });

  test('is over at once where there is none', async () => {
    await expect(
      createPatience({ ...options, clock: manualClock(), limitMs: 0 }).wait(new Error('away')),
    ).rejects.toThrow('away');
  });

  test('has let go, after each wait, of signals that may live as long as the process', async () => {
    const life = new AbortController();
    const given: (AbortSignal | undefined)[] = [];
    const clock = { now: () => 0, sleep: async (_ms: number, signal?: AbortSignal) => void given.push(signal) };
    const patience = createPatience({ ...options, clock, limitMs: 5_000, signals: [undefined, life.signal] });
    await patience.wait(new Error('away'));
    life.abort();
    expect(given.map((signal) => signal?.aborted)).toEqual([false]);
    await patience.wait(new Error('away'));
    expect(given.map((signal) => signal?.aborted)).toEqual([false, true]);
  });
});

describe('a server that is away', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  async function withoutServer(outagePatienceMs: number) {
    const { promise: away, resolve } = deferred();
    const storage = postgres({
      connectionString: server.url,
      outagePatienceMs,
      listen: false,
      logger: { ...logger, warn: (message) => message === 'the database is away' && resolve() },
    });
    await storage.open();
    await server.goAway();
    return { storage, away };
  }

  test('is reported at once, or when the caller has no more use for it, or waited out', async () => {
    const { storage } = await withoutServer(FOR_EVER);
    const claim = () => storage.leases.claim('x', 1_000);
    await expect(withPatience({ limitMs: 0 }, () => storage.health.inspect())).rejects.toThrow(StorageUnavailableError);
    await expect(withPatience({ limitMs: 0 }, claim)).rejects.toThrow(StorageUnavailableError);
    const stopping = new AbortController();
    const waiting = withPatience({ limitMs: FOR_EVER, signal: stopping.signal }, claim);
    stopping.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow(StorageUnavailableError);
    const until = storage.leases.claim('y', 1_000);
    await server.comeBack();
    expect(await until).toEqual({ epoch: 1 });
    await storage.close();
  });

  test('keeps nobody waiting who is closing', async () => {
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
