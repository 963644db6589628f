import type { Clock, Storage } from 'kalends/ports';

/**
 * The storage in a database, not opened yet.
 * @param database the address of a PostgreSQL database, or the path of a SQLite file
 * @param clock decides about leases and due work in place of the database's own
 */
export async function storageAt(database: string, clock?: Clock): Promise<Storage> {
  const ofClock = clock === undefined ? {} : { clock };
  // Each is loaded when it is needed: processes of the tests start often.
  if (isPostgres(database)) {
    const { postgres } = await import('@kalends/postgres');
    return postgres({ connectionString: database, ...ofClock });
  }
  const { sqlite } = await import('@kalends/sqlite');
  return sqlite({ path: database, ...ofClock });
}

export function isPostgres(database: string): boolean {
  return database.startsWith('postgres:');
}
