import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@kalends/sqlite';
import { DatabaseSync } from '@photostructure/sqlite';
import { StorageUnavailableError } from 'kalends/ports';
import { withOutageTimeout } from 'kalends/runtime';
import { expect, it, onTestFinished, vi } from 'vitest';
import { movableClock } from '../../../test/interface/movable-clock.ts';
import { createWorld } from '../../../test/interface/world.ts';

it('while another process keeps the file locked, reads are served and writes get 503 with Retry-After', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-locked-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'kalends.db');
  const clock = movableClock();
  const sync = { freshWithoutPushMs: 3_600_000, pushForReads: false };
  const world = await createWorld({ storage: sqlite({ path, clock }), clock, sync }, { background: false });
  onTestFinished(() => world.close());
  const { accountId, calendarId } = await world.connect('google');
  const events = `/v1/events/${accountId}/${calendarId}`;
  expect((await world.call('GET', events)).status).toBe(200);
  // From then on a read is noted again.
  clock.pass(61_000);

  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  const start = { dateTime: '2027-01-01T10:00:00Z' };
  const body = { title: 'Standup', start, end: { dateTime: '2027-01-01T11:00:00Z' } };
  const [read, write] = await Promise.all([world.call('GET', events), world.call('POST', events, { body })]);
  expect(read.status).toBe(200);
  expect(write.status).toBe(503);
  expect(write.headers.get('retry-after')).not.toBeNull();

  other.exec('commit');
  other.close();
  expect((await world.call('POST', events, { body })).status).toBe(201);
});

it('a logger that fails changes no outcome of a write', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  const folder = mkdtempSync(join(tmpdir(), 'kalends-locked-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'kalends.db');
  const fail = () => {
    throw new Error('the pipe is broken');
  };
  const storage = sqlite({ path, logger: { debug: fail, info: fail, warn: fail, error: fail } });
  onTestFinished(() => storage.close());
  await storage.open();
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  other.exec('begin immediate');
  const claim = (limitMs: number) => withOutageTimeout({ limitMs }, () => storage.leases.claim('one', 1_000));
  await expect(claim(1)).rejects.toThrow(StorageUnavailableError);
  other.exec('commit');
  expect(await claim(60_000)).toBeDefined();
  expect(warned).toHaveBeenCalledTimes(2);
});
