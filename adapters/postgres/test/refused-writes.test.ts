import { manualClock } from '@kalends/conformance';
import { postgres } from '@kalends/postgres';
import { type Logger, StorageUnavailableError } from 'kalends/ports';
import { withOutageTimeout } from 'kalends/runtime';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createRefusals } from '../src/refusals.ts';
import { createTestDatabase } from './server/test-database.ts';

const silent = () => undefined;

function listeningLogger() {
  const lines: string[] = [];
  const note = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const logger: Logger = { debug: silent, info: note('info'), warn: note('warn'), error: note('error') };
  return { logger, lines };
}

/** A storage over a pool of one connection, a session beside it, and the number of connections that the pool has made. */
async function openOverPool(config: pg.PoolConfig = {}, own?: Logger) {
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 1, ...config });
  let connects = 0;
  pool.on('connect', () => {
    connects += 1;
  });
  const beside = new pg.Client({ connectionString: database.url });
  await beside.connect();
  const { logger, lines } = listeningLogger();
  const storage = postgres({ pool, logger: own ?? logger });
  onTestFinished(async () => {
    await storage.close();
    await pool.end();
    await beside.end();
    await database.drop();
  });
  await storage.open();
  return { storage, beside, lines, name: database.name, connects: () => connects };
}

test.each([
  true,
  false,
])('a full disk is an outage of writes, and a fault of the storage, pipelined: %s', async (pipeline) => {
  const { storage, beside, lines } = await openOverPool({ pipeline } as pg.PoolConfig);
  expect((await storage.health.inspect()).fault).toBeNull();
  await beside.query(`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
  for (const table of ['kalends_lease', 'kalends_application']) {
    await beside.query(`create trigger full_disk before insert on ${table} execute function full_disk()`);
  }
  const row = { id: 'app_1', name: 'Shop', redirectUrls: [], createdAt: 1, updatedAt: 1, deletedAt: null };
  for (const write of [() => storage.leases.claim('one', 1_000), () => storage.applications.create(row)]) {
    const error = await write().catch((failure: unknown) => failure);
    expect(StorageUnavailableError.isInstance(error)).toBe(true);
    expect(String(error)).toContain('No space left on device');
  }
  expect(lines).toEqual(['error the database cannot be written']);
  expect((await storage.health.inspect()).fault).toBe(
    'the database cannot be written (could not extend file: No space left on device); is its disk full?',
  );
  expect(await storage.applications.find('app_1')).toBeUndefined();
});

test('a logger that fails leaves the error of a write as it is', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  const fail = () => {
    throw new Error('the pipe is broken');
  };
  const { storage, beside } = await openOverPool({}, { debug: fail, info: fail, warn: fail, error: fail });
  await beside.query(`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
  await beside.query('create trigger full_disk before insert on kalends_lease execute function full_disk()');
  await expect(storage.leases.claim('one', 1_000)).rejects.toThrow(StorageUnavailableError);
  expect(warned).toHaveBeenCalled();
});

test('a server that takes no writes is a fault, and keeps no write waiting once the outage has lasted', async () => {
  const { storage, beside, lines, name, connects } = await openOverPool();
  const setReadOnly = async (value: string) => {
    await beside.query(`alter database ${name} set default_transaction_read_only = ${value}`);
    await beside.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [name],
    );
  };
  await setReadOnly('on');
  const claim = (limitMs: number) => withOutageTimeout({ limitMs }, () => storage.leases.claim('one', 1_000));
  // Its wait begins with the session that was ended, before the first refusal.
  await expect(claim(1_000)).rejects.toThrow(StorageUnavailableError);
  const before = connects();
  await expect(claim(200)).rejects.toThrow(StorageUnavailableError);
  expect(connects() - before).toBe(1);
  // Neither proves that the server takes writes: a batch that only reads, and a transaction.
  const key = { applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1' };
  expect(await storage.reads.startWrite(key, ['evt_1'])).toBeUndefined();
  expect(await storage.holds.book('app_1', 'hold_1', { eventIds: {}, ttlMs: 1, keptMs: 1 })).toBeUndefined();
  expect(lines.filter((line) => line.includes('written'))).toEqual(['error the database cannot be written']);
  expect((await storage.health.inspect()).fault).toMatch(/^the database cannot be written/);
  await setReadOnly('off');
  expect(await claim(60_000)).toBeDefined();
  expect((await storage.health.inspect()).fault).toBeNull();
  expect(lines.filter((line) => line.includes('written'))).toEqual([
    'error the database cannot be written',
    'info the database can be written again',
  ]);
});

test('a disk that was full is taken for full until it has refused nothing for half a minute', async () => {
  const clock = manualClock();
  const { logger, lines } = listeningLogger();
  const refusals = createRefusals(clock, logger);
  const full = Object.assign(new Error('No space left'), { code: '53100' });
  refusals.note(full);
  await clock.advance(29_000);
  refusals.note(full);
  refusals.written();
  await clock.advance(29_000);
  expect(refusals.fault).toContain('No space left');
  await clock.advance(1_000);
  expect(refusals.fault).toBeNull();
  expect(lines).toEqual(['error the database cannot be written']);
  refusals.written();
  expect(lines).toEqual(['error the database cannot be written', 'info the database can be written again']);
  refusals.note(Object.assign(new Error('division by zero'), { code: '22012' }));
  expect(lines).toHaveLength(2);
});
