import { storageConformance } from '@kalends/conformance';
import { shardedStorage } from '@kalends/postgres';
import type { Clock } from 'kalends/ports';
import { afterAll, beforeAll, test } from 'vitest';
import { emptyDatabase } from '../server/database-pool.ts';
import { type PostgresServer, startPostgres } from '../server/start-postgres.ts';
import { awayFromHome, databasesOf, SHARDS } from './sharded-databases.ts';

let servers: readonly PostgresServer[] = [];
beforeAll(async () => {
  servers = await Promise.all(SHARDS.map(() => startPostgres()));
});
afterAll(async () => void (await Promise.all(servers.map((server) => server.stop()))));

const open = (clock: Clock) =>
  shardedStorage({
    shards: databasesOf(
      servers.map(({ url }) => url),
      clock,
    ),
    place: awayFromHome,
  });

// Two processes on four servers, one database in each.
storageConformance({
  test,
  createStorage: async (clock) => {
    const storage = open(clock);
    const close = async () => {
      await storage.close();
      for (const { url } of servers) await emptyDatabase(url);
    };
    return { ...storage, close };
  },
  createPeer: async (_storage, clock) => open(clock),
});
