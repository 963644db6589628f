import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian keeps the programs of each version in a folder of its own. */
const DEBIAN = '/usr/lib/postgresql';

/**
 * Returns the folder of an installed PostgreSQL with its server and the programs that back it up: npm ships the server alone, and a
 * pg_dump reads no server that is newer than itself.
 * @throws Error when there is none
 */
export function installedPostgres(): string {
  const debian = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : [];
  const beside = (process.env['PATH'] ?? '').split(delimiter);
  const needed = ['initdb', 'postgres', 'pg_ctl', 'pg_dump', 'pg_restore'];
  const found = [...debian, ...beside].find((folder) => needed.every((name) => existsSync(join(folder, name))));
  if (found !== undefined) return found;
  throw new Error(
    `The restore drill needs ${needed.join(', ')} in one folder: install PostgreSQL (apt-get install postgresql)`,
  );
}
