import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import { DatabaseSync } from '@photostructure/sqlite';
import { type Logger, StorageUnavailableError } from 'kalends/ports';
import { Kysely, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { createFileWatch } from '../src/file-watch.ts';
import { kyselyDialect } from '../src/kysely-dialect.ts';
import { checkPages } from '../src/page-check.ts';

const PAGE = 4096;
const silent = () => undefined;

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'kalends.db');
}

/** A logger whose `logged` resolves with the fields of the first line that says so. */
function listeningLogger() {
  const lines: { readonly level: string; readonly message: string; readonly fields: unknown }[] = [];
  let notify: () => void = silent;
  const note = (level: string) => (message: string, fields?: unknown) => {
    lines.push({ level, message, fields });
    notify();
  };
  const logger: Logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  const logged = async (message: string) => {
    for (;;) {
      const line = lines.find((one) => one.message === message);
      if (line !== undefined) return line;
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
    }
  };
  return { logger, lines, logged };
}

/** A file with a table of many pages. */
function filled(path: string): void {
  const database = new DatabaseSync(path);
  database.exec('create table note (id integer primary key, body text)');
  database.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
    insert into note select i, 'note ' || i || hex(randomblob(100)) from n`);
  database.close();
}

/** Overwrites a page in the middle of the file. */
function damage(path: string): void {
  const pages = readFileSync(path).length / PAGE;
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(PAGE, 0xa5), 0, PAGE, Math.floor(pages / 2) * PAGE);
}

it('a full disk refuses writes as an outage, says so once, serves reads, and recovers', async () => {
  const path = temporaryFile();
  filled(path);
  const clock = manualClock();
  const { logger, lines } = listeningLogger();
  const watch = createFileWatch(path, clock, logger);
  const pragmas = ['journal_mode = wal'];
  // biome-ignore lint/suspicious/noExplicitAny: any table
  const database = new Kysely<any>({ dialect: kyselyDialect({ path, pragmas, isExclusive: true, watch }) });
  onTestFinished(() => database.destroy());
  const write = () => sql`insert into note (body) values (hex(zeroblob(10000)))`.execute(database);
  const count = async () => (await sql<{ n: number }>`select count(*) as n from note`.execute(database)).rows[0]?.n;
  await sql`pragma max_page_count = 1`.execute(database);
  for (let times = 0; times < 2; times += 1) {
    const error = await write().catch((failure: unknown) => failure);
    expect(StorageUnavailableError.isInstance(error)).toBe(true);
    expect(String(error)).toContain('database or disk is full');
  }
  const inTransaction = database.transaction().execute(async (transaction) => {
    await sql`delete from note where id = 1`.execute(transaction);
    await sql`insert into note (body) values (hex(zeroblob(10000)))`.execute(transaction);
  });
  await expect(inTransaction).rejects.toThrow(StorageUnavailableError);
  expect(await count()).toBe(20_000);
  expect(lines).toEqual([
    { level: 'error', message: 'the database cannot be written', fields: { error: 'database or disk is full' } },
  ]);
  await sql`pragma max_page_count = 1000000`.execute(database);
  await write();
  expect(await watch.fault(database)).toBeNull();
  expect(lines.at(-1)).toMatchObject({ level: 'info', message: 'the database can be written again' });
  expect(await count()).toBe(20_001);
});

it('a commit that has written something tells that the database can be written again, in a process that reports no health too', async () => {
  const path = temporaryFile();
  filled(path);
  const { logger, lines } = listeningLogger();
  const watch = createFileWatch(path, manualClock(), logger);
  const pragmas = ['journal_mode = wal'];
  // biome-ignore lint/suspicious/noExplicitAny: any table
  const database = new Kysely<any>({ dialect: kyselyDialect({ path, pragmas, isExclusive: true, watch }) });
  onTestFinished(() => database.destroy());
  const commit = (text: string) => database.transaction().execute((transaction) => sql.raw(text).execute(transaction));
  const insert = () => commit('insert into note (body) values (hex(zeroblob(10000)))');
  for (let times = 0; times < 2; times += 1) {
    await sql`pragma max_page_count = 1`.execute(database);
    await expect(insert()).rejects.toThrow(StorageUnavailableError);
    await commit('update note set id = 1 where id = -1');
    expect(lines.at(-1)).toMatchObject({ level: 'error', message: 'the database cannot be written' });
    await sql`pragma max_page_count = 1000000`.execute(database);
    await insert();
    expect(lines.at(-1)).toMatchObject({ level: 'info', message: 'the database can be written again' });
  }
  expect(lines).toHaveLength(4);
});

it('a trial leaves the number that the host keeps in the file, and tries once a second', async () => {
  const path = temporaryFile();
  const database = new DatabaseSync(path);
  database.exec('pragma user_version = 4711');
  const clock = manualClock();
  const storage = sqlite({ path, clock });
  onTestFinished(() => storage.close());
  await storage.open();
  const changes = () => database.prepare('pragma data_version').all();
  const before = changes();
  expect(await storage.health.inspect()).toMatchObject({ fault: null });
  const after = changes();
  expect(after).not.toEqual(before);
  await storage.health.inspect();
  expect(changes()).toEqual(after);
  await clock.advance(1_000);
  await storage.health.inspect();
  expect(changes()).not.toEqual(after);
  expect(database.prepare('pragma user_version').all()).toEqual([{ user_version: 4711 }]);
  database.close();
});

it('a sound file passes', async () => {
  const path = temporaryFile();
  filled(path);
  expect(await checkPages(path, new AbortController().signal)).toEqual([]);
});

/** Collects the child processes that are started until the test ends. */
function childrenFromNowOn(): readonly ChildProcess[] {
  const children: ChildProcess[] = [];
  const note = (message: unknown) => void children.push((message as { readonly process: ChildProcess }).process);
  subscribe('child_process', note);
  onTestFinished(() => void unsubscribe('child_process', note));
  return children;
}

it('a check that is given up ends, its process before it, and one of a file that is none says so', async () => {
  const path = temporaryFile();
  filled(path);
  const children = childrenFromNowOn();
  const giving = new AbortController();
  const check = checkPages(path, giving.signal);
  giving.abort();
  await expect(check).rejects.toThrow('abort');
  expect(children.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL']);
  await expect(checkPages(`${path}.missing`, new AbortController().signal)).rejects.toThrow('unable to open');
});

it('a page damaged inside the file is noticed after the start: logged, and named with what to do', async () => {
  const path = temporaryFile();
  const first = sqlite({ path });
  await first.open();
  await first.close();
  filled(path);
  damage(path);
  expect(await checkPages(path, new AbortController().signal)).toEqual([expect.stringMatching(/^note: /)]);
  const { logger, logged } = listeningLogger();
  const storage = sqlite({ path, logger });
  onTestFinished(() => storage.close());
  await storage.open();
  const line = await logged('the database file is damaged');
  expect(line).toMatchObject({ level: 'error', fields: { error: expect.stringContaining('note: ') } });
  const { fault } = await storage.health.inspect();
  expect(fault).toContain('the database file is damaged (note: ');
  expect(fault).toContain('restore a backup');
  expect(fault).toContain(`sqlite3 ${path} ".recover"`);
});

it('a page that a statement meets damaged is noticed at once', async () => {
  const path = temporaryFile();
  const first = sqlite({ path });
  await first.open();
  await first.close();
  filled(path);
  damage(path);
  const { logger, lines } = listeningLogger();
  const watch = createFileWatch(path, manualClock(), logger);
  // biome-ignore lint/suspicious/noExplicitAny: any table
  const database = new Kysely<any>({ dialect: kyselyDialect({ path, pragmas: [], isExclusive: true, watch }) });
  onTestFinished(() => database.destroy());
  await expect(sql`select sum(length(body)) from note`.execute(database)).rejects.toThrow('malformed');
  expect(lines).toMatchObject([{ level: 'error', message: 'the database file is damaged' }]);
  expect(await watch.fault(database)).toContain('the database file is damaged (database disk image is malformed)');
});
