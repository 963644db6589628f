import type { Tables } from '@kalends/sql';
import type { Finding } from 'kalends/ports';
import { CompiledQuery, type Kysely } from 'kysely';

/** Oldest server that the statements run on. */
const OLDEST_VERSION = 140_000;

interface ServerState {
  readonly version: string;
  readonly number: number;
  readonly isReadOnly: boolean;
  readonly encoding: string;
}

const IS_READ_ONLY = `pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool`;
const READ_ONLY = 'The server is a read replica, or its transactions are read-only by default.';

/** Returns what an operator has to mend when the server takes no writes, else null. */
export async function readOnlyFault(database: Kysely<Tables>): Promise<string | null> {
  const query = CompiledQuery.raw(`select ${IS_READ_ONLY} as "isReadOnly"`);
  const { rows } = await database.executeQuery<Pick<ServerState, 'isReadOnly'>>(query);
  return rows[0]?.isReadOnly === true ? `the database cannot be written. ${READ_ONLY}` : null;
}

/** Says why a database in another encoding than UTF8 must not be used: a text that it cannot hold would stop its calendar for good. */
export async function encodingProblem(database: Kysely<Tables>): Promise<string | undefined> {
  const query = CompiledQuery.raw(`select current_setting('server_encoding') as encoding`);
  const { rows } = await database.executeQuery<Pick<ServerState, 'encoding'>>(query);
  const found = rows.map(encodingFinding).find(({ status }) => status === 'failed');
  return found === undefined ? undefined : `${found.message} ${found.remedy}`;
}

/** Examines a server: its version, whether it takes writes, and the encoding of the database. */
export async function diagnoseServer(database: Kysely<Tables>): Promise<readonly Finding[]> {
  const text = `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
    ${IS_READ_ONLY} as "isReadOnly", current_setting('server_encoding') as encoding`;
  const { rows } = await database.executeQuery<ServerState>(CompiledQuery.raw(text));
  return rows.flatMap((state) => [versionFinding(state), roleFinding(state), encodingFinding(state)]);
}

function versionFinding({ version, number }: ServerState): Finding {
  const check = 'databaseVersion';
  if (number >= OLDEST_VERSION) return { check, status: 'ok', message: `PostgreSQL ${version}.`, remedy: null };
  const message = `PostgreSQL ${version} is too old.`;
  return { check, status: 'failed', message, remedy: 'Update the server to PostgreSQL 14 or later.' };
}

function roleFinding({ isReadOnly }: ServerState): Finding {
  const check = 'databaseRole';
  if (!isReadOnly) return { check, status: 'ok', message: 'The server takes writes.', remedy: null };
  return { check, status: 'failed', message: READ_ONLY, remedy: "Set the database's URL to the primary server." };
}

function encodingFinding({ encoding }: Pick<ServerState, 'encoding'>): Finding {
  const check = 'databaseEncoding';
  if (encoding === 'UTF8') return { check, status: 'ok', message: 'The encoding is UTF8.', remedy: null };
  const message = `The database's encoding is ${encoding}: kalends needs UTF8.`;
  const remedy =
    'Make a database with "create database … encoding \'UTF8\' template template0", and move what there is with pg_dump.';
  return { check, status: 'failed', message, remedy };
}
