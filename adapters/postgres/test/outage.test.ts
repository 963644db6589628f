import { postgres } from '@kalends/postgres';
import type { CollectionKey, ItemWrite, Storage } from 'kalends/ports';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { openWithAccount } from '../../sql/test/mirror/mirror-account.ts';
import { type Cut, startCuttingProxy } from './server/cutting-proxy.ts';
import { startPostgres } from './server/start-postgres.ts';
import { createTestDatabase } from './server/test-database.ts';

const keyOf = (calendarId: string): CollectionKey => ({ applicationId: 'app_1', accountId: 'acc_1', calendarId });
const INIT = { at: 1, tag: 't', timeZone: 'UTC' };

function write(itemId: string): ItemWrite {
  const content = { itemId };
  return {
    itemId,
    groupId: itemId,
    content,
    etag: itemId,
    providerTag: null,
    mappingVersion: 1,
    rangeStart: 0,
    rangeEnd: 1,
  };
}

/** Puts one item into the calendar by a commit of its own. */
const put = ({ mirror }: Storage, calendarId: string, itemId: string) =>
  mirror.commit(keyOf(calendarId), { writes: [write(itemId)], basedOn: 0, at: 1, tag: itemId });

describe('a server that goes and comes back', () => {
  test('loses nothing and doubles nothing, and no caller hears of it', { timeout: 120_000 }, async () => {
    const server = await startPostgres();
    const storages = [
      await openWithAccount(postgres({ connectionString: server.url, maxConnections: 3, outageTimeoutMs: 60_000 })),
      postgres({ connectionString: server.url, maxConnections: 3, outageTimeoutMs: 60_000 }),
    ];
    await storages[1]!.open();
    let isOver = false;
    const worker = async (calendarId: string, storage: Storage) => {
      await storage.mirror.ensure(keyOf(calendarId), INIT);
      let puts = 0;
      let first: number | undefined;
      while (!isOver) {
        puts += 1;
        expect(await put(storage, calendarId, `item_${puts}`)).toEqual({
          revision: puts,
          changed: [`item_${puts}`],
          deferred: [],
          setAside: [],
        });
        expect((await storage.mirror.findItem(keyOf(calendarId), `item_${puts}`))?.fromRevision).toBe(puts);
        const lease = await storage.leases.claim(`lease of ${calendarId}`, 60_000);
        // Each claim and each release raises the epoch once: more would be a statement that was done twice.
        first ??= lease?.epoch ?? 0;
        const epoch = first + 2 * (puts - 1);
        expect(lease).toEqual({ epoch });
        await storage.leases.release(`lease of ${calendarId}`, epoch);
      }
      return puts;
    };
    const workers = ['a', 'b', 'c', 'd'].map((calendarId, index) => worker(calendarId, storages[index % 2]!));
    const untilWorking = Promise.all(workers);
    for (const mode of ['immediate', 'immediate', 'fast', 'immediate'] as const) {
      await Promise.race([progress(storages[0]!, 40), untilWorking]);
      await server.restart(mode);
    }
    await Promise.race([progress(storages[0]!, 40), untilWorking]);
    isOver = true;
    const puts = await untilWorking;
    expect(Math.min(...puts)).toBeGreaterThan(10);
    for (const [index, calendarId] of ['a', 'b', 'c', 'd'].entries()) {
      expect((await storages[1]!.mirror.find(keyOf(calendarId)))?.revision).toBe(puts[index]);
      const asOf = puts[index] ?? 0;
      expect(await storages[1]!.mirror.listGroups(keyOf(calendarId), { asOf, limit: 100_000 })).toHaveLength(asOf);
    }
    for (const storage of storages) await storage.close();
    await server.stop();
  });
});

/** Waits until the first calendar has this many more revisions. */
async function progress({ mirror }: Storage, revisions: number): Promise<void> {
  const begin = (await mirror.find(keyOf('a')))?.revision ?? 0;
  while (((await mirror.find(keyOf('a')))?.revision ?? 0) < begin + revisions);
}

describe.each<Cut>(['before commit', 'after commit'])('a connection that is cut %s', (cut) => {
  test.each([true, false])('has committed once, pipelined: %s', async (isPipelined) => {
    const database = await createTestDatabase();
    const proxy = await startCuttingProxy(database.url);
    const pool = new pg.Pool({ connectionString: proxy.url, ...(isPipelined ? { pipeline: true } : {}) });
    const storage = await openWithAccount(postgres({ pool }));
    await storage.mirror.ensure(keyOf('a'), INIT);
    for (let revision = 1; revision <= 5; revision += 1) {
      proxy.cutNext(cut);
      expect((await put(storage, 'a', `item_${revision}`)).revision).toBe(revision);
      // A statement by itself, which finds its own row when it is run twice.
      const application = {
        id: `app_more_${revision}`,
        name: 'More',
        redirectUrls: [],
        createdAt: 1,
        updatedAt: 1,
        deletedAt: null,
      };
      proxy.cutNext(cut);
      await storage.applications.create(application);
      expect(await storage.applications.find(application.id)).toEqual(application);
    }
    expect(proxy.cuts()).toBe(10);
    expect((await storage.mirror.find(keyOf('a')))?.revision).toBe(5);
    await storage.close();
    await pool.end();
    await proxy.close();
    await database.drop();
  });
});

describe('an address where there is no server', () => {
  test('is reported at once when it has never answered', async () => {
    const server = await startPostgres();
    await server.stop();
    const storage = postgres({ connectionString: server.url });
    await expect(storage.open()).rejects.toThrow('ECONNREFUSED');
    await storage.close();
  });
});

describe('options', () => {
  test('one address is needed', () => {
    expect(() => postgres({})).toThrow('connectionString: must be given, or else a pool');
    const pool = new pg.Pool({ connectionString: 'postgres://localhost/none' });
    expect(() => postgres({ connectionString: 'postgres://localhost/none', pool })).toThrow('connectionString');
    expect(() => postgres({ connectionString: 'postgres://localhost/none', maxConnections: 0 })).toThrow(
      'maxConnections',
    );
    expect(() => postgres({ connectionString: 'postgres://localhost/none', outageTimeoutMs: -1 })).toThrow(
      'outageTimeoutMs',
    );
    for (const statementTimeoutMs of [0, Number.POSITIVE_INFINITY]) {
      expect(() => postgres({ connectionString: 'postgres://localhost/none', statementTimeoutMs })).toThrow(
        'statementTimeoutMs',
      );
    }
  });
});
