import { systemRandom } from 'kalends/runtime';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createChangeFeed } from '../src/change-feed.ts';
import { createTestDatabase } from './server/test-database.ts';

const silent = () => undefined;

test('sessions that cannot be opened leave no listener on the signal of the feed', async () => {
  const warnings: string[] = [];
  const hear = (warning: Error) => void warnings.push(warning.name);
  process.on('warning', hear);
  let attempts = 0;
  let resolve = silent as () => void;
  const triedOften = new Promise<void>((done) => {
    resolve = done;
  });
  const feed = createChangeFeed({
    channel: async () => 'kalends_changes',
    // Nothing listens there: each attempt is refused.
    connectionString: 'postgres://nobody@127.0.0.1:1/nothing',
    send: async () => undefined,
    clock: {
      now: () => 0,
      sleep: async () => {
        attempts += 1;
        if (attempts === 15) resolve();
      },
    },
    random: systemRandom,
    logger: { debug: silent, info: silent, warn: silent, error: silent },
  });
  feed.subscribe(() => undefined);
  await triedOften;
  await feed.close();
  // Warnings are emitted on the next tick.
  await new Promise((done) => setImmediate(done));
  process.off('warning', hear);
  expect(warnings).toEqual([]);
});

test('each loss of the session is told once, with its reason', async () => {
  const database = await createTestDatabase();
  const beside = new pg.Client({ connectionString: database.url });
  await beside.connect();
  const lines: unknown[] = [];
  let attempts = 0;
  let heard = silent as () => void;
  const feed = createChangeFeed({
    channel: async () => {
      attempts += 1;
      // The first attempt after each loss fails too.
      if (attempts % 2 === 0) throw new Error('not yet');
      return 'kalends_changes';
    },
    connectionString: database.url,
    send: async () => undefined,
    clock: { now: () => 0, sleep: async () => undefined },
    random: systemRandom,
    logger: {
      debug: silent,
      info: silent,
      error: silent,
      warn: (message, fields) => void lines.push([message, fields?.['error']]),
    },
  });
  const isListening = () =>
    new Promise<void>((resolve) => {
      heard = resolve;
    });
  let listening = isListening();
  feed.subscribe(() => heard());
  for (let losses = 0; losses < 3; losses += 1) {
    await listening;
    expect(lines).toHaveLength(losses);
    listening = isListening();
    await beside.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [database.name],
    );
  }
  await listening;
  expect(lines).toEqual(
    Array(3).fill(['the session that listens for changes was lost', expect.stringContaining('terminating connection')]),
  );
  await feed.close();
  await beside.end();
  await database.drop();
});
