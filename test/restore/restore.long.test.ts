import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPostgres } from '../../adapters/postgres/test/server/start-postgres.ts';
import type { Json } from '../interface/world.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { documentedCommands, runCommands } from './documented-commands.ts';
import { type Drill, MAILBOXES, type Mailbox, openDrill } from './drill-world.ts';
import { installedPostgres } from './installed-postgres.ts';

/** A database that is backed up, lost, and made again, empty. */
interface LostDatabase {
  readonly name: 'SQLite' | 'PostgreSQL';
  readonly url: string;
  readonly programs: readonly string[];
  /** Loses everything but the backup. */
  lose(): Promise<void>;
}

async function sqliteIn(folder: string): Promise<LostDatabase> {
  const lose = async () => {
    for (const file of ['kalends.db', 'kalends.db-wal', 'kalends.db-shm']) rmSync(join(folder, file), { force: true });
  };
  return { name: 'SQLite', url: `sqlite:${join(folder, 'kalends.db')}`, programs: [], lose };
}

async function postgresOfSystem(): Promise<LostDatabase> {
  const binaries = installedPostgres();
  const server = await startPostgres({}, binaries);
  onTestFinished(() => server.stop());
  const url = new URL(server.url);
  url.pathname = '/kalends';
  const run = async (...statements: readonly string[]) => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  await run('create database kalends');
  const lose = () => run('drop database kalends with (force)', 'create database kalends');
  return { name: 'PostgreSQL', url: url.href, programs: [binaries], lose };
}

/** A client that keeps a copy of one calendar, as the interface asks: by sync tokens, and anew after 410. */
class Copy {
  readonly #drill: Drill;
  readonly #path: string;
  readonly titles = new Map<string, string>();
  token: string | undefined;

  constructor(drill: Drill, path: string) {
    this.#drill = drill;
    this.#path = path;
  }

  /** Resolves with the status of the first answer. */
  async sync(): Promise<number> {
    const query = this.token === undefined ? '' : `?syncToken=${encodeURIComponent(this.token)}`;
    const { status, body } = await this.#drill.call('GET', `${this.#path}${query}`);
    if (status === 410) {
      this.token = undefined;
      this.titles.clear();
      await this.sync();
      return status;
    }
    if (status === 503) return status;
    expect(status, JSON.stringify(body)).toBe(200);
    for (const event of body.data as Json[]) {
      if (event.deleted === true || event.title === undefined) this.titles.delete(event.id);
      else this.titles.set(event.id, event.title);
    }
    this.token = body.nextSyncToken;
    return status;
  }

  /** Syncs until the copy has exactly these titles. */
  async until(...titles: readonly string[]): Promise<void> {
    const wanted = [...titles].sort().join();
    for (let attempt = 0; attempt < 3_000; attempt += 1) {
      await this.sync();
      if ([...this.titles.values()].sort().join() === wanted) return;
    }
    throw new Error(`The copy has ${[...this.titles.values()]}, not ${titles}`);
  }
}

describe.each([
  ['SQLite', sqliteIn],
  ['PostgreSQL', postgresOfSystem],
] as const)('the documented backup and restore of %s', (_name, databaseIn) => {
  it.each(
    MAILBOXES,
  )('lose nothing of $name that the provider has, and leave no gap unsaid', async (mailbox: Mailbox) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-drill-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const database = await databaseIn(folder);
    const drill = await openDrill(database.url);
    const receiver = await openReceiver();
    const run = (step: 'Back up' | 'Restore') =>
      runCommands(documentedCommands(step, database.name), folder, drill.environment, database.programs);
    await drill.prepare();
    const stop = await drill.start();

    // An account, a client that follows it, and a receiver.
    const { providerType, email } = mailbox;
    const account = await drill.call('POST', '/endUserAccounts', {
      email,
      providerType,
      refreshToken: drill.refreshToken(mailbox),
    });
    expect(account.status).toBe(201);
    let calendars = await drill.call('GET', `/calendars/${account.body.id}`);
    while (calendars.status === 503) calendars = await drill.call('GET', `/calendars/${account.body.id}`);
    const calendarId: string = calendars.body.data.find((each: Json) => each.isPrimary).id;
    const path = `/events/${account.body.id}/${encodeURIComponent(calendarId)}`;
    const subscribed = await drill.call('POST', `/calendarSubscriptions/${account.body.id}`, {
      calendarId,
      webhookUrl: receiver.url,
    });
    expect(subscribed.status).toBe(201);
    const kept = await drill.atProvider(mailbox, 'POST', '', 'kept');
    const deleted = await drill.atProvider(mailbox, 'POST', '', 'deleted later');
    const copy = new Copy(drill, path);
    await copy.until('kept', 'deleted later');
    const before = { token: copy.token, titles: new Map(copy.titles) };

    await run('Back up');

    // Life goes on after the backup: the client and the receiver learn of it.
    await drill.atProvider(mailbox, 'DELETE', deleted);
    await drill.atProvider(mailbox, 'PATCH', kept, 'renamed');
    const brief = await drill.atProvider(mailbox, 'POST', '', 'of the lost time');
    await copy.until('renamed', 'of the lost time');
    const lost = copy.token;
    const receivedBefore = receiver.received.map(({ headers }) => String(headers['hook-id']));
    expect(receivedBefore.length).toBeGreaterThan(0);

    await stop();
    await database.lose();
    // Made after the backup and gone before the restore: no restored process has ever heard of it.
    await drill.atProvider(mailbox, 'DELETE', brief);
    await drill.atProvider(mailbox, 'POST', '', 'while nothing ran');
    expect(await run('Restore')).toContain('accounts   1\n');
    const heard = receiver.received.length;
    await drill.start();

    // The receiver is told, under an id that it has not seen.
    const isTold = () =>
      receiver.received.slice(heard).some(({ headers, body }) => {
        return body.includes('calendar.event.unknown') && !receivedBefore.includes(String(headers['hook-id']));
      });
    for (let attempt = 0; attempt < 3_000 && !isTold(); attempt += 1) await drill.call('GET', '/endUserAccounts');
    expect(isTold()).toBe(true);

    // A token of the lost time is refused, so that the client lists anew and ends with what the provider has.
    expect(copy.token).toBe(lost);
    expect(await copy.sync()).toBe(410);
    await copy.until('renamed', 'while nothing ran');
    // One from before the backup goes on.
    const early = new Copy(drill, path);
    early.token = before.token;
    for (const [id, title] of before.titles) early.titles.set(id, title);
    expect(await early.sync()).not.toBe(410);
    await early.until('renamed', 'while nothing ran');

    // Pushes and messages go on: no id stands for two messages.
    const count = receiver.received.length;
    await drill.atProvider(mailbox, 'POST', '', 'afterwards');
    await copy.until('renamed', 'while nothing ran', 'afterwards');
    await receiver.wait(count + 1);
    const bodies = new Map<string, string>();
    for (const { headers, body } of receiver.received) {
      const id = String(headers['hook-id']);
      expect(bodies.get(id) ?? body).toBe(body);
      bodies.set(id, body);
    }
  });
});
