import { randomBytes } from 'node:crypto';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  /** Removes it, open connections included. */
  drop(): Promise<void>;
}

let server: Promise<string> | undefined;

/** The address of the run's PostgreSQL. @throws Error when there is none */
export function postgresUrl(): Promise<string> {
  server ??= askForServer();
  return server;
}

async function askForServer(): Promise<string> {
  const socket = createConnection(inject('postgresSocket'));
  const { url, failure } = JSON.parse(await text(socket));
  if (url === undefined) throw new Error(failure);
  return url;
}

/** A database of its own on the run's PostgreSQL; a copy of another one (without open connections) if given. */
export async function createTestDatabase({ copyOf }: { readonly copyOf?: string } = {}): Promise<TestDatabase> {
  const serverUrl = await postgresUrl();
  const name = `${inject('databasePrefix')}${randomBytes(8).toString('hex')}`;
  await onServer(serverUrl, `create database ${name} template ${copyOf ?? 'template0'}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, name, drop: () => onServer(serverUrl, `drop database if exists ${name} with (force)`) };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // The server may end the session under us; the statement's own failure says so.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
