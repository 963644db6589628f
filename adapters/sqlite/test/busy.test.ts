import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { manualClock, seededRandom } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import { DatabaseSync } from '@photostructure/sqlite';
import { type Logger, StorageUnavailableError } from 'kalends/ports';
import { withOutageTimeout } from 'kalends/runtime';
import { Kysely, sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { createBusyWaits } from '../src/busy.ts';
import { createFileWatch } from '../src/file-watch.ts';
import { kyselyDialect } from '../src/kysely-dialect.ts';
import { createMutex } from '../src/mutex.ts';

const folder = mkdtempSync(join(tmpdir(), 'kalends-busy-'));
afterAll(() => rmSync(folder, { recursive: true }));

const silent = () => undefined;
const silentLogger: Logger = { debug: silent, info: silent, warn: silent, error: silent };

const application = (id: string) => ({
  id,
  name: 'Tenant',
  redirectUrls: [],
  createdAt: 1,
  updatedAt: 1,
  deletedAt: null,
});

describe('a database that another process is writing to', () => {
  test('is waited for while the event loop goes on, and read meanwhile', async () => {
    const path = join(folder, 'held.db');
    const storage = sqlite({ path });
    await storage.open();
    await storage.applications.create(application('app_1'));
    const other = new DatabaseSync(path);
    other.exec(`begin immediate; update kalends_application set name = 'theirs'`);

    let isDone = false;
    const writing = storage.applications.create(application('app_2')).then(() => {
      isDone = true;
    });
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(isDone).toBe(false);
    expect((await storage.applications.find('app_1'))?.name).toBe('Tenant');

    other.exec('commit');
    await writing;
    expect((await storage.applications.find('app_1'))?.name).toBe('theirs');
    expect(await storage.applications.find('app_2')).toBeDefined();
    other.close();
    await storage.close();
  });

  test('is waited for as long as the caller says from the beginning of the outage, in line too, but for a second at least', async () => {
    const path = join(folder, 'locked.db');
    const clock = manualClock();
    const watch = createFileWatch(path, clock, silentLogger);
    const pragmas = ['busy_timeout = 0', 'journal_mode = wal'];
    // biome-ignore lint/suspicious/noExplicitAny: any table
    const database = new Kysely<any>({
      dialect: kyselyDialect({ path, pragmas, isExclusive: true, watch, waitClock: clock }),
    });
    await sql`create table note (id integer primary key)`.execute(database);
    const other = new DatabaseSync(path);
    other.exec('begin immediate');

    const startedAt = clock.now();
    const ends: string[] = [];
    const write = (name: string) =>
      database
        .transaction()
        .execute((transaction) => sql`insert into note default values`.execute(transaction))
        .catch((error: unknown) => {
          if (!StorageUnavailableError.isInstance(error)) throw error;
          ends.push(`${name} ${Math.floor((clock.now() - startedAt) / 500) / 2}`);
        });
    const stopping = new AbortController();
    const works = [
      withOutageTimeout({ limitMs: 30_000 }, () => write('background')),
      ...['request', 'another', 'third'].map(write),
      withOutageTimeout({ limitMs: 0 }, () => write('at once')),
      withOutageTimeout({ limitMs: 30_000, signal: stopping.signal }, () => write('stopped')),
    ];
    await clock.advance(3_000);
    expect(ends).toEqual(['at once 1']);
    stopping.abort();
    await clock.advance(5_000);
    expect(ends.slice(1)).toEqual(['stopped 3', 'request 5', 'another 5', 'third 5']);
    expect(await watch.fault(database)).toBe(
      'the database cannot be written (another process keeps it locked); end the transaction of that process',
    );
    works.push(write('later'));
    await clock.advance(30_000);
    expect(ends.slice(5)).toEqual(['later 9', 'background 30']);
    works.push(write('alone'));
    await clock.advance(2_000);
    expect(ends.slice(7)).toEqual(['alone 39']);

    works.push(write('served'));
    await clock.advance(500);
    other.exec('commit');
    await clock.advance(1_000);
    await Promise.all(works);
    expect(ends).toHaveLength(8);
    other.close();
    await watch.stop();
    await database.destroy();
  });

  test('other errors are not waited out', async () => {
    const failure = Object.assign(new Error('constraint failed'), { errcode: 19 });
    const waits = createBusyWaits({
      clock: manualClock(),
      random: seededRandom(1),
      outages: undefined,
      refused: () => new Error('refused'),
      line: createMutex(),
    });
    const work = waits.run(() => {
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
  });
});

describe('a long loop over the storage', () => {
  test('lets timers and sockets have their turn', async () => {
    const storage = sqlite({ path: ':memory:' });
    await storage.open();
    let turns = 0;
    let isDone = false;
    const watcher = (async () => {
      while (!isDone) {
        await setImmediate();
        turns += 1;
      }
    })();
    for (let step = 0; step < 5_000; step += 1) await storage.applications.find('app_1');
    isDone = true;
    await watcher;
    expect(turns).toBeGreaterThanOrEqual(4);
    await storage.close();
  });
});

describe('a file', () => {
  test('can be created by several handles at once', async () => {
    const path = join(folder, 'new.db');
    const storages = Array.from({ length: 4 }, () => sqlite({ path }));
    await Promise.all(storages.map((storage) => storage.open()));
    await Promise.all(storages.map((storage, index) => storage.applications.create(application(`app_${index}`))));
    for (const storage of storages) expect(await storage.applications.list({ limit: 9 })).toHaveLength(4);
    await Promise.all(storages.map((storage) => storage.close()));
  });

  test('keeps what was committed when it is opened again', async () => {
    const path = join(folder, 'kept.db');
    const before = sqlite({ path });
    await before.open();
    await before.applications.create(application('app_1'));
    await before.close();
    await before.close();
    const after = sqlite({ path });
    await after.open();
    expect(await after.applications.find('app_1')).toEqual(application('app_1'));
    await after.close();
  });

  test('that a later version has migrated is refused', async () => {
    const path = join(folder, 'later.db');
    const storage = sqlite({ path });
    await storage.open();
    await storage.close();
    const other = new DatabaseSync(path);
    other.exec(`insert into kalends_migration (name) values ('9999-from-the-future')`);
    other.close();
    const again = sqlite({ path });
    await expect(again.open()).rejects.toThrow(
      'migrations of a later version of kalends, or of another program: 9999-from-the-future',
    );
    await again.close();
  });

  test('must have a name', () => {
    expect(() => sqlite({ path: '' })).toThrow('path: must name a file, or be :memory:');
  });
});
