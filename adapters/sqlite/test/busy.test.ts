import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { manualClock, seededRandom } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { retryWhileBusy } from '../src/busy.ts';

const folder = mkdtempSync(join(tmpdir(), 'kalends-busy-'));
afterAll(() => rmSync(folder, { recursive: true }));

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

  test('is given up after half a minute with the driver’s own error', async () => {
    const clock = manualClock();
    const busy = Object.assign(new Error('database is locked'), { errcode: 5 });
    let tries = 0;
    const work = retryWhileBusy(
      () => {
        tries += 1;
        throw busy;
      },
      clock,
      seededRandom(1),
    );
    const outcome = expect(work).rejects.toBe(busy);
    await clock.advance(29_000);
    expect(clock.sleeping).toBe(1);
    await clock.advance(2_000);
    await outcome;
    expect(tries).toBeGreaterThan(30_000 / 50);
    expect(tries).toBeLessThan(2_000);
  });

  test('other errors are not waited out', async () => {
    const failure = Object.assign(new Error('constraint failed'), { errcode: 19 });
    const work = retryWhileBusy(
      () => {
        throw failure;
      },
      manualClock(),
      seededRandom(1),
    );
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
