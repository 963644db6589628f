import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { type PostgresServer, startPostgres } from './start-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A socket that tells every caller the address of the run's PostgreSQL. */
    readonly postgresSocket: string;
    /** Begins the names of the run's databases. */
    readonly databasePrefix: string;
  }
}

/**
 * One PostgreSQL for a run of vitest: started when the first test file asks for it, so that a run without any costs
 * nothing, and stopped at the end. A server that `KALENDS_TEST_POSTGRES_URL` names stays, without the run's databases.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const path = join(tmpdir(), `kalends-postgres-${process.pid}.sock`);
  const prefix = `kalends_${randomBytes(4).toString('hex')}_`;
  rmSync(path, { force: true });
  const given = process.env['KALENDS_TEST_POSTGRES_URL'];
  let starting: Promise<PostgresServer> | undefined;
  const asked = createServer((caller) => {
    if (given === undefined) starting ??= startPostgres();
    const url = given === undefined ? starting?.then((server) => server.url) : Promise.resolve(given);
    caller.on('error', () => caller.destroy());
    url?.then(
      (text) => caller.end(JSON.stringify({ url: text })),
      (error: unknown) => caller.end(JSON.stringify({ failure: String(error) })),
    );
  }).listen(path);
  await once(asked, 'listening');
  asked.unref();
  project.provide('postgresSocket', path);
  project.provide('databasePrefix', prefix);
  return async () => {
    asked.close();
    await (await starting)?.stop();
    if (given !== undefined) await dropAll(given, prefix);
  };
}

async function dropAll(url: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const named = 'select datname as name from pg_database where starts_with(datname, $1)';
    const { rows } = await client.query<{ readonly name: string }>(named, [prefix]);
    for (const { name } of rows) await client.query(`drop database ${name} with (force)`);
  } finally {
    await client.end();
  }
}
