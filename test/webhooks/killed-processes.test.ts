import { expect, it, onTestFinished } from 'vitest';
import { startPostgres } from '../../adapters/postgres/test/server/start-postgres.ts';
import { sizeOf } from '../size-of.ts';
import { newDatabase } from '../storages/new-database.ts';
import { type KillingSpree, killProcesses, SUBSCRIPTIONS } from './processes/killing-spree.ts';

const MESSAGES = sizeOf('messages', { short: 200, long: 1_000 });
const KILLS = sizeOf('kills', { short: 2, long: 10 });
/** Crashes of the database server. */
const RESTARTS = sizeOf('restarts', { short: 1, long: 2 });
const TIMEOUT_MS = 3_600_000;

/**
 * A kill or a crash may double what is in flight, which is one message for each receiver at most: 5 % of a long run is
 * far below that, and in a short run many for the few kills.
 */
function mostDuplicates({ changed, kills, restarts }: KillingSpree): number {
  return changed >= 5_000 ? changed / 20 : (kills + restarts) * SUBSCRIPTIONS;
}

function check(name: string, spree: KillingSpree): void {
  const { changed, acknowledged, lost, unknown, duplicates, duplicatesByRestarts } = spree;
  const percent = (count: number) => `${((100 * count) / changed).toFixed(2)} %`;
  console.log(
    `${name}: ${changed} messages, ${spree.kills} kills, ${spree.restarts} restarts of the server, ` +
      `${spree.with500} answers of 500, ${spree.byReset} resets, ${spree.tooLate} too late: ${lost.length} lost, ` +
      `${duplicates} duplicates (${percent(duplicates)}), ${duplicatesByRestarts} of them by restarts`,
  );
  expect(changed).toBeGreaterThanOrEqual(acknowledged);
  expect(acknowledged).toBeGreaterThanOrEqual(MESSAGES);
  expect(lost).toEqual([]);
  expect(unknown).toEqual([]);
  expect(spree.sentAfterRecorded).toEqual([]);
  expect(spree.unexplained).toEqual([]);
  expect(duplicates).toBeLessThan(mostDuplicates(spree));
}

it(
  `SQLite loses nothing when processes are killed: ${KILLS} kills over ${MESSAGES} messages`,
  async () => {
    const database = await newDatabase('sqlite');
    check('SQLite', await killProcesses({ database, messages: MESSAGES, kills: KILLS, restarts: 0 }));
  },
  TIMEOUT_MS,
);

it(
  `PostgreSQL loses nothing when processes are killed and it crashes itself: ${KILLS} kills and ${RESTARTS} crashes`,
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const sizes = { messages: MESSAGES, kills: KILLS, restarts: RESTARTS };
    const restart = () => server.restart('immediate');
    check('PostgreSQL', await killProcesses({ database: server.url, ...sizes, restart }));
  },
  TIMEOUT_MS,
);
