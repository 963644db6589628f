import { postgres } from '@kalends/postgres';
import { sqlite } from '@kalends/sqlite';
import type { Logger, Storage } from 'kalends/ports';
import { CommandError } from '../command-error.ts';
import type { Settings } from '../settings.ts';

type DatabaseSettings = Pick<
  Settings,
  'databaseUrl' | 'listenUrl' | 'databaseConnections' | 'databaseSchema' | 'databasePrefix'
>;

/** Creates the storage that a URL names, without opening it. @throws CommandError for a schema in SQLite */
export function storageOf(
  { databaseUrl, listenUrl, databaseConnections, databaseSchema, databasePrefix: prefix }: DatabaseSettings,
  logger: Logger,
): Storage {
  const path = /^sqlite:(.+)$/.exec(databaseUrl)?.[1];
  if (path !== undefined) {
    if (databaseSchema === undefined) return sqlite({ path, logger, prefix });
    throw new CommandError('KALENDS_DATABASE_SCHEMA is for PostgreSQL: a SQLite file has no schemas');
  }
  return postgres({
    connectionString: databaseUrl,
    logger,
    prefix,
    ...(databaseSchema === undefined ? {} : { schema: databaseSchema }),
    ...(databaseConnections === undefined ? {} : { maxConnections: databaseConnections }),
    ...(listenUrl === undefined ? {} : { listen: listenUrl === 'off' ? (false as const) : listenUrl }),
  });
}

/** Returns a database URL without credentials and parameters, for logs and messages. */
export function shownUrl(databaseUrl: string): string {
  if (databaseUrl.startsWith('sqlite:')) return databaseUrl;
  const { protocol, host, pathname } = new URL(databaseUrl);
  return `${protocol}//${host}${pathname}`;
}

/** Opens a database. @throws CommandError naming a database that cannot be opened */
export async function opening<Result>(databaseUrl: string, open: () => Promise<Result>): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    const { message } = error as Error;
    const hint = message.includes('unable to open database file')
      ? '; does its folder exist, and may this user write to it?'
      : '';
    throw new CommandError(`cannot open the database ${shownUrl(databaseUrl)}: ${message}${hint}`, 1);
  }
}
