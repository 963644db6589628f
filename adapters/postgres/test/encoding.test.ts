import { randomBytes } from 'node:crypto';
import { postgres, shardedStorage } from '@kalends/postgres';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { postgresUrl } from './server/test-database.ts';

/** A database of its own, in another encoding than UTF8. */
async function databaseIn(encoding: string): Promise<string> {
  const admin = new pg.Client({ connectionString: await postgresUrl() });
  await admin.connect();
  const name = `kalends_encoding_${randomBytes(8).toString('hex')}`;
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });
  await admin.query(`create database ${name} encoding '${encoding}' locale 'C' template template0`);
  const url = new URL(await postgresUrl());
  url.pathname = `/${name}`;
  return url.href;
}

test.each([
  'LATIN1',
  'SQL_ASCII',
])('a database in %s is refused before it gets tables, and the doctor finds it', async (encoding) => {
  const connectionString = await databaseIn(encoding);
  const storages = [
    postgres({ connectionString, listen: false }),
    shardedStorage({ shards: [{ name: 'home', connectionString, listen: false }] }),
  ];
  for (const storage of storages) {
    onTestFinished(() => storage.close());
    await expect(storage.open()).rejects.toThrow(`The database's encoding is ${encoding}: kalends needs UTF8`);
    expect((await storage.health.schema()).applied).toEqual([]);
    expect(await storage.health.diagnose(new AbortController().signal)).toContainEqual(
      expect.objectContaining({ check: 'databaseEncoding', status: 'failed' }),
    );
  }
});
