import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type PostgresServer, startPostgres } from './start-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A socket that tells every caller the address of the run's PostgreSQL. */
    readonly postgresSocket: string;
  }
}

/**
 * One PostgreSQL for a run of vitest: started when the first test file asks for it, so that a run without any costs
 * nothing, and stopped at the end.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const path = join(tmpdir(), `kalends-postgres-${process.pid}.sock`);
  rmSync(path, { force: true });
  let starting: Promise<PostgresServer> | undefined;
  const asked = createServer((caller) => {
    const given = process.env['KALENDS_TEST_POSTGRES_URL'];
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
  return async () => {
    asked.close();
    await (await starting)?.stop();
  };
}
