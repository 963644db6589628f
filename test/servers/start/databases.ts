import { readdirSync } from 'node:fs';
import { type PostgresServer, startPostgres } from '../../../adapters/postgres/test/server/start-postgres.ts';

const INSTALLED = '/usr/lib/postgresql';

/** Starts a PostgreSQL of the system, as the servers' own programs expect it, and returns the settings of its clients. */
export async function startDatabase(): Promise<{
  readonly server: PostgresServer;
  readonly port: string;
  readonly environment: Readonly<Record<string, string>>;
}> {
  const version = readdirSync(INSTALLED).sort().at(-1);
  const server = await startPostgres({}, `${INSTALLED}/${version}/bin`);
  const { port } = new URL(server.url);
  return { server, port, environment: { PGHOST: '127.0.0.1', PGPORT: port, PGUSER: 'postgres' } };
}
