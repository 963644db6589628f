import { postgres } from '@kalends/postgres';
import { sqlite } from '@kalends/sqlite';
import type { Logger, Storage } from 'kalends/ports';
import { CommandError } from '../command-error.ts';
import type { Settings } from '../settings.ts';

/** The storage that a URL names; not opened yet. */
export function storageOf(
  { databaseUrl, listenUrl, databaseConnections }: Pick<Settings, 'databaseUrl' | 'listenUrl' | 'databaseConnections'>,
  logger: Logger,
): Storage {
  const path = /^sqlite:(.+)$/.exec(databaseUrl)?.[1];
  if (path !== undefined) return sqlite({ path, logger });
  return postgres({
    connectionString: databaseUrl,
    logger,
    ...(databaseConnections === undefined ? {} : { maxConnections: databaseConnections }),
    ...(listenUrl === undefined ? {} : { listen: listenUrl === 'off' ? (false as const) : listenUrl }),
  });
}

/** The URL without what is secret in it, for logs and messages. */
export function shownUrl(databaseUrl: string): string {
  if (databaseUrl.startsWith('sqlite:')) return databaseUrl;
  const { protocol, host, pathname } = new URL(databaseUrl);
  return `${protocol}//${host}${pathname}`;
}

/** Runs what opens the storage. @throws CommandError naming the database that cannot be opened */
export async function opening(databaseUrl: string, open: () => Promise<void>): Promise<void> {
  try {
    await open();
  } catch (error) {
    throw new CommandError(`cannot open the database ${shownUrl(databaseUrl)}: ${(error as Error).message}`, 1);
  }
}
