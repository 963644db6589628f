import { systemRandom } from 'kalends/runtime';
import { expect, test } from 'vitest';
import { createChangeFeed } from '../src/change-feed.ts';

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
