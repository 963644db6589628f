import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { databasePool } from '../../adapters/postgres/test/server/database-pool.ts';
import { createTestDatabase } from '../../adapters/postgres/test/server/test-database.ts';

/** The storages for tests of several processes, or of several handles on one database. */
export const STORAGES = ['sqlite', 'postgres'] as const;

export type StorageName = (typeof STORAGES)[number];

/** An empty database for the present test: the path of a SQLite file, or an address on the run's PostgreSQL. */
export async function newDatabase(storage: StorageName): Promise<string> {
  if (storage === 'sqlite') return await newFile();
  const database = await databasePool.take();
  onTestFinished(() => databasePool.giveBack(database));
  return database.url;
}

/** A database without tables for the present test, for other versions than this one too. */
export async function unmigratedDatabase(storage: StorageName): Promise<string> {
  if (storage === 'sqlite') return await newFile();
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  return database.url;
}

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'kalends.db');
}
