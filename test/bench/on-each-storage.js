// A SQLite file, then a PostgreSQL, each with a bare driver of its kind beside it.
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgres } from '@kalends/postgres';
import { sqlite } from '@kalends/sqlite';
import { barePostgres } from './bare-reads.js';
import { bareSqlite } from './bare-sqlite.js';
import { withPostgres } from './with-postgres.js';

/** Resolves with the rows of both. */
export async function onEachStorage(measure) {
  const rows = [];
  const work = async (name, storage, driver) => {
    rows.push(...(await measure(name, storage, driver)));
    await driver.close();
  };
  const path = join(tmpdir(), `kalends-bench-${process.pid}.db`);
  try {
    await work('SQLite (file)', sqlite({ path }), bareSqlite(`${path}.bare`));
  } finally {
    for (const name of [path, `${path}.bare`]) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(name + suffix, { force: true });
    }
  }
  await withPostgres(async (url) => {
    await work('PostgreSQL', postgres({ connectionString: url, listen: false }), await barePostgres(url));
  });
  return rows;
}
