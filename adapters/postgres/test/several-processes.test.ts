import { postgres } from '@kalends/postgres';
import type { Storage, StorageTopic } from 'kalends/ports';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { openWithAccount } from '../../sql/test/mirror/mirror-account.ts';
import { startPoolingProxy } from './server/pooling-proxy.ts';
import { createTestDatabase, postgresUrl, type TestDatabase } from './server/test-database.ts';

const KEY = { applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1' };
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  closing.push(() => database.drop());
  return database;
}

function open(options: Parameters<typeof postgres>[0]) {
  const storage = postgres(options);
  closing.push(() => storage.close());
  return storage;
}

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe('migrations', () => {
  test('are applied once when eight processes start together, through a pooling proxy too', async () => {
    const { url } = await newDatabase();
    const proxy = await startPoolingProxy(await postgresUrl());
    closing.push(() => proxy.close());
    const storages = Array.from({ length: 8 }, (_, index) =>
      open({ connectionString: index % 2 === 0 ? url : proxy.urlOf(url), listen: false }),
    );
    await Promise.all(storages.map((storage) => storage.open()));
    await Promise.all(storages.map((storage) => storage.open()));
    const rows = await query(url, 'select name from kalends_migration order by name');
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    for (const storage of storages) expect(await storage.applications.list({ limit: 9 })).toEqual([]);
  });

  test('of a later version are refused', async () => {
    const { url } = await newDatabase();
    await open({ connectionString: url, listen: false }).open();
    await query(url, `insert into kalends_migration values ('9999-from-the-future')`);
    const storage = open({ connectionString: url, listen: false });
    await expect(storage.open()).rejects.toThrow(
      'migrations of a later version of kalends, or of another program: 9999-from-the-future',
    );
  });

  test('that are all there need no right to make any', async () => {
    const { url, name } = await newDatabase();
    await open({ connectionString: url, listen: false }).open();
    const role = `${name}_guest`;
    await query(
      url,
      `create role ${role} login; grant select, insert, update, delete on all tables in schema public to ${role}`,
    );
    const guest = new URL(url);
    guest.username = role;
    const storage = open({ connectionString: guest.href, listen: false });
    await storage.open();
    const row = { id: 'app_1', name: 'Tenant', redirectUrls: [], createdAt: 1, updatedAt: 1, deletedAt: null };
    await storage.applications.create(row);
    expect(await storage.applications.find('app_1')).toEqual(row);
    closing.splice(1, 0, () => query(url, `drop owned by ${role}; drop role ${role}`).then(() => undefined));
  });
});

test.each<[string, (storage: Storage) => Promise<boolean>]>([
  ['a transaction', ({ usedStates }) => usedStates.mark('state', 60_000)],
  [
    'statements that go together',
    async ({ pulls }) => {
      const { epoch } = await pulls.begin(KEY, { name: 'lease', ttlMs: 60_000 });
      return epoch !== undefined;
    },
  ],
])('a process that stands still in %s does not keep others from its rows', async (_what, take) => {
  const { url } = await newDatabase();
  let goOn: () => void = () => undefined;
  const standing = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let stands: () => void = () => undefined;
  const stood = new Promise<void>((resolve) => {
    stands = resolve;
  });
  class StandingClient extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: the driver has a dozen forms of it
    override query(statement: any): any {
      const sendIt = () => super.query(statement);
      const isLast = statement.text === 'commit' && statement.values !== undefined;
      if (!isLast) return sendIt();
      stands();
      return standing.then(sendIt);
    }
  }
  const peer = open({ connectionString: url, listen: false });
  await peer.open();
  const pool = new pg.Pool({ connectionString: url, Client: StandingClient });
  closing.push(() => pool.end());
  const storage = open({ pool, statementTimeoutMs: 600 });
  const taken = take(storage);
  await stood;
  expect(await take(peer)).toBe(true);
  goOn();
  // It runs again, and comes too late.
  expect(await taken).toBe(false);
});

describe('work that another process makes due', () => {
  async function twoProcesses() {
    const { url } = await newDatabase();
    const storage = await openWithAccount(open({ connectionString: url }));
    const peer = open({ connectionString: url });
    await peer.open();
    const heard: StorageTopic[] = [];
    const waiting: (() => void)[] = [];
    const hears = () => new Promise<void>((resolve) => waiting.push(resolve));
    closing.push(async () => unsubscribe?.());
    const unsubscribe = peer.changes?.subscribe((topic) => {
      heard.push(topic);
      for (const resolve of waiting.splice(0)) resolve();
    });
    // The first word of a session is that anything may have happened before it.
    await hears();
    heard.length = 0;
    return { url, storage, peer, heard, hears };
  }

  test('is told when it has been committed, at most ten times a second', async () => {
    const { storage, peer, heard, hears } = await twoProcesses();
    const first = hears();
    await storage.schedule.hint(KEY);
    await first;
    expect(heard).toEqual(['schedule']);
    expect(await peer.schedule.claimDueAccounts(1_000, 1)).toHaveLength(1);
    const begin = performance.now();
    for (let hints = 0; hints < 100; hints += 1) await storage.schedule.hint(KEY);
    while (heard.length < 2) await hears();
    expect(heard.length).toBeLessThanOrEqual(2 + (performance.now() - begin) / 100);
  });

  test('is not told to the process itself', async () => {
    const { storage, peer, heard, hears } = await twoProcesses();
    await peer.schedule.hint(KEY);
    const next = hears();
    await storage.schedule.dueBy(KEY, 1);
    await next;
    expect(heard).toEqual(['schedule']);
  });

  test('is told when it is sent again, recovered or enabled', async () => {
    const { storage, peer, heard, hears } = await twoProcesses();
    await storage.endpoints.insert({
      id: 'whe_1',
      applicationId: 'app_1',
      url: 'https://tenant.test/hook',
      wrappedKey: '',
      sealedSecret: '',
      previousSecret: null,
      rateLimit: null,
      disabledAt: null,
      failingSince: null,
      createdAt: 1,
      updatedAt: 1,
    });
    const enqueued = hears();
    await storage.outbox.enqueue({
      applicationId: 'app_1',
      targetId: 'whe_1',
      eventType: 'enduseraccount.updated',
      timestamp: 1,
      data: '{}',
      messageId: 'msg_1',
    });
    await enqueued;
    /** Claims the message and ends its attempt so: nothing is due then. */
    const settle = async (kind: 'dead' | 'disabled') => {
      const [claim] = (await storage.outbox.acknowledgeAndClaim([], { limit: 1, leaseMs: 1_000 })).claims;
      if (claim === undefined) throw new Error('Nothing was due');
      const attempt = { id: `att_${claim.epoch}`, eventType: 'enduseraccount.updated', at: 1 } as const;
      const result = { status: 500, failure: null, latencyMs: 1, excerpt: '' };
      await storage.outbox.acknowledgeAndClaim(
        [
          {
            applicationId: 'app_1',
            targetId: 'whe_1',
            messageId: claim.message.id,
            epoch: claim.epoch,
            attempt: { ...attempt, ...result },
            outcome: { kind },
          },
        ],
        { limit: 0, leaseMs: 1 },
      );
      expect(await peer.outbox.nextDueAt()).toBeNull();
    };
    const told = async (work: () => Promise<unknown>, answer: unknown) => {
      heard.length = 0;
      const word = hears();
      expect(await work()).toBe(answer);
      await word;
      expect(heard).toEqual(['outbox']);
      expect(await peer.outbox.nextDueAt()).not.toBeNull();
    };
    await settle('dead');
    await told(() => storage.outbox.redeliver('app_1', 'whe_1', 'msg_1'), 'enqueued');
    await settle('dead');
    await told(() => storage.outbox.recover('app_1', 'whe_1', 0), 1);
    await settle('disabled');
    const message = { id: 'msg_2', eventType: 'enduseraccount.updated', timestamp: 2, data: '{}' } as const;
    await told(() => storage.targets.enable('app_1', 'whe_1', { at: 2, message }), true);
  });

  test('is told again after the listening session was lost', async () => {
    const { url, storage, heard, hears } = await twoProcesses();
    const back = hears();
    const rows = await query(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'kalends listener'`,
    );
    expect(rows).toHaveLength(1);
    await back;
    expect([...new Set(heard)]).toEqual(['schedule', 'outbox']);
    heard.length = 0;
    const next = hears();
    await storage.schedule.hint(KEY);
    await next;
    expect(heard).toContain('schedule');
  });
});

test('a pool of the host is used, one statement at a time, and left open', async () => {
  const { url } = await newDatabase();
  let overlaps = 0;
  class OneAtATime extends pg.Client {
    #isBusy = false;
    override query(...parameters: unknown[]): never {
      const sent: unknown = (super.query as (...all: unknown[]) => unknown)(...parameters);
      if (sent instanceof Promise) {
        if (this.#isBusy) overlaps += 1;
        this.#isBusy = true;
        const end = () => {
          this.#isBusy = false;
        };
        sent.then(end, end);
      }
      return sent as never;
    }
  }
  const pool = new pg.Pool({ connectionString: url, Client: OneAtATime });
  closing.push(() => pool.end());
  const storage = postgres({ pool });
  await openWithAccount(storage);
  await storage.schedule.hint(KEY);
  await storage.mirror.ensure(KEY, { at: 1, tag: 't', timeZone: 'UTC' });
  const write = { itemId: 'a', groupId: 'a', providerTag: null, mappingVersion: 1, rangeStart: 0, rangeEnd: 1 };
  for (const etag of ['first', 'second']) {
    const writes = [{ ...write, etag, content: { title: etag } }];
    await storage.mirror.commit(KEY, { writes, basedOn: 9, at: 1, tag: etag });
  }
  await storage.leases.release('not held', 1);
  await storage.close();
  expect(overlaps).toBe(0);
  expect((await pool.query('select count(*)::int as hints from kalends_schedule')).rows).toEqual([{ hints: 1 }]);
});
