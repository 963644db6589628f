import { type PostgresOptions, postgres, type ShardedStorage, shardedStorage } from '@kalends/postgres';
import { sqlite } from '@kalends/sqlite';
import type { HealthStore, Logger, Storage } from 'kalends/ports';
import { CommandError } from '../command-error.ts';
import type { Settings } from '../settings.ts';
import { HOME } from './shard-list.ts';

type DatabaseSettings = Pick<
  Settings,
  'databaseUrl' | 'listenUrl' | 'databaseConnections' | 'databaseSchema' | 'databasePrefix' | 'shards' | 'closedShards'
>;

/** Creates the storage that the settings name, without opening it. @throws CommandError for settings that do not fit together */
export function storageOf(settings: DatabaseSettings, logger: Logger): Storage {
  const { databaseUrl, databaseSchema, databasePrefix: prefix, shards, closedShards } = settings;
  if (shards.length > 0) return shardedStorageOf(settings, logger);
  if (closedShards.length > 0) {
    throw new CommandError('KALENDS_CLOSED_SHARDS is set without KALENDS_SHARDS: set that too, or unset this one');
  }
  const path = /^sqlite:(.+)$/.exec(databaseUrl)?.[1];
  if (path === undefined) return postgres(postgresOptions(settings, logger));
  if (databaseSchema === undefined) return sqlite({ path, logger, prefix });
  throw new CommandError('KALENDS_DATABASE_SCHEMA is for PostgreSQL: a SQLite file has no schemas');
}

/** Creates the storage over the databases of KALENDS_SHARDS. @throws CommandError when there are none, or settings do not fit */
export function shardedStorageOf(settings: DatabaseSettings, logger: Logger): ShardedStorage {
  const { databaseUrl, listenUrl, shards, closedShards } = settings;
  if (shards.length === 0)
    throw new CommandError('KALENDS_SHARDS is required: it names the databases beside the first one');
  if (databaseUrl.startsWith('sqlite:'))
    throw new CommandError('KALENDS_SHARDS is for PostgreSQL, not for a SQLite file');
  const names = [HOME, ...shards.map(({ name }) => name)];
  const unknown = closedShards.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new CommandError(`KALENDS_CLOSED_SHARDS: there is no shard "${unknown}"`);
  if (names.every((name) => closedShards.includes(name))) {
    throw new CommandError('KALENDS_CLOSED_SHARDS must leave a shard that takes new accounts');
  }
  const home = postgresOptions(settings, logger);
  return shardedStorage({
    shards: [
      { ...home, name: HOME, takesNewAccounts: !closedShards.includes(HOME) },
      ...shards.map(({ name, url }) => {
        const { listen: _listen, ...options } = home;
        const takesNewAccounts = !closedShards.includes(name);
        // The address for listening is the first database's: work in the others is found by polling.
        const listening = listenUrl === undefined ? {} : { listen: false as const };
        return { ...options, name, connectionString: url, takesNewAccounts, ...listening };
      }),
    ],
  });
}

function postgresOptions(
  { databaseUrl, listenUrl, databaseConnections, databaseSchema, databasePrefix: prefix }: DatabaseSettings,
  logger: Logger,
): PostgresOptions {
  return {
    connectionString: databaseUrl,
    logger,
    prefix,
    ...(databaseSchema === undefined ? {} : { schema: databaseSchema }),
    ...(databaseConnections === undefined ? {} : { maxConnections: databaseConnections }),
    ...(listenUrl === undefined ? {} : { listen: listenUrl === 'off' ? (false as const) : listenUrl }),
  };
}

/** Returns a database URL without credentials and parameters, for logs and messages. */
export function shownUrl(databaseUrl: string): string {
  if (databaseUrl.startsWith('sqlite:')) return databaseUrl;
  const { protocol, host, pathname } = new URL(databaseUrl);
  return `${protocol}//${host}${pathname}`;
}

/** Returns the addresses of the databases of KALENDS_SHARDS in the form of the setting, for logs. */
export function shownShards(shards: DatabaseSettings['shards']): string {
  return shards.map(({ name, url }) => `${name}=${shownUrl(url)}`).join(',');
}

/** A database, and how it is called in messages. */
export interface NamedDatabase {
  readonly title: string;
  readonly health: HealthStore;
}

/** Returns the storage's databases; of several, the one that decides comes first. */
export function databasesOf({ health }: Storage, databaseUrl: string): readonly NamedDatabase[] {
  if (health.databases === undefined) return [{ title: shownUrl(databaseUrl), health }];
  return health.databases.given.map(({ name, address, health: own }) => ({
    title: `${name} at ${address}`,
    health: own,
  }));
}

/** Opens a database, or several. @throws CommandError naming a database that cannot be opened */
export async function opening<Result>(
  { databaseUrl, shards }: Pick<DatabaseSettings, 'databaseUrl' | 'shards'>,
  open: () => Promise<Result>,
): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    const { message, cause } = error as Error;
    // The storage over several says which one it is about.
    if (shards.length > 0) {
      const why = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
      throw new CommandError(`cannot open the databases: ${message}${why}${hintFor(message)}`, 1);
    }
    throw new CommandError(`cannot open the database ${shownUrl(databaseUrl)}: ${message}${hintFor(message)}`, 1);
  }
}

function hintFor(message: string): string {
  if (message.includes('unable to open database file')) {
    return '; does its folder exist, and may this user write to it?';
  }
  // Of PostgreSQL: for a new table, and for a change of one.
  if (!/permission denied for schema|must be owner of/.test(message)) return '';
  return '; "kalends migrate --print" prints the SQL for a user who may change tables; see Upgrades in docs/operating.md';
}
