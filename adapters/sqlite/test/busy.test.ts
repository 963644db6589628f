import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { manualClock, seededRandom } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import { DatabaseSync } from '@photostructure/sqlite';
import { type Logger, StorageUnavailableError } from 'kalends/ports';
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

  test('is waited for 5 s from the beginning of its transaction, in line too, but for a second at least', async () => {
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
    const works = ['request', 'another', 'third'].map(write);
    await clock.advance(4_600);
    works.push(write('late'));
    await clock.advance(300);
    expect(ends).toEqual([]);
    await clock.advance(200);
    expect([...ends].sort()).toEqual(['another 5', 'request 5', 'third 5']);
    await clock.advance(1_000);
    expect(ends.slice(3)).toEqual(['late 6']);
    expect(await watch.fault(database)).toBe(
      'the database cannot be written (another process keeps it locked); end the transaction of that process',
    );
    // A lock that is met after a pause is another one.
    await clock.advance(10_000);
    works.push(write('alone'));
    await clock.advance(6_000);
    expect(ends.slice(4)).toHaveLength(1);
    const [alone = ''] = ends.slice(4);
    expect(Number(alone.split(' ')[1])).toBeGreaterThanOrEqual(20.5);

    works.push(write('served'));
    await clock.advance(500);
    other.exec('commit');
    await clock.advance(1_000);
    await Promise.all(works);
    expect(ends).toHaveLength(5);

    // Each of a busy process's transactions is short: none of them is an outage.
    other.exec('begin immediate');
    works.push(write('patient'));
    for (let second = 0; second < 20; second += 1) {
      await clock.advance(1_000);
      other.exec('insert into note default values; commit; begin immediate');
    }
    expect(ends).toHaveLength(5);
    for (let second = 0; second < 11; second += 1) {
      await clock.advance(1_000);
      other.exec('insert into note default values; commit; begin immediate');
    }
    expect(ends.slice(5)).toHaveLength(1);
    await Promise.all(works);
    other.exec('rollback');
    other.close();
    await watch.stop();
    await database.destroy();
  });

  test('is waited for as well when nothing of it can be read meanwhile', async () => {
    const path = join(folder, 'exclusive.db');
    const other = new DatabaseSync(path);
    other.exec('create table note (id integer primary key); begin exclusive; insert into note default values');
    const clock = manualClock();
    // biome-ignore lint/suspicious/noExplicitAny: any table
    const database = new Kysely<any>({
      dialect: kyselyDialect({ path, pragmas: ['busy_timeout = 0'], isExclusive: true, waitClock: clock }),
    });
    let end = '';
    const count = () =>
      sql`select count(*) from note`.execute(database).then(
        () => 'served',
        (error: unknown) => (StorageUnavailableError.isInstance(error) ? 'unavailable' : String(error)),
      );
    const first = count().then((how) => {
      end = how;
    });
    await clock.advance(4_900);
    expect(end).toBe('');
    await clock.advance(200);
    await first;
    expect(end).toBe('unavailable');
    const second = count();
    await clock.advance(100);
    other.close();
    await clock.advance(100);
    expect(await second).toBe('served');
    await database.destroy();
  });

  test('other errors are not waited out', async () => {
    const failure = Object.assign(new Error('constraint failed'), { errcode: 19 });
    const waits = createBusyWaits({
      clock: manualClock(),
      random: seededRandom(1),
      outages: undefined,
      commits: () => 0,
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
