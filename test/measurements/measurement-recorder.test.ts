import { type LogFields, type MeasurementRow, NO_TELEMETRY, type Storage } from 'kalends/ports';
import { expect, it, onTestFinished } from 'vitest';
import { createMeasurementRecorder } from '../../src/measurements/index.ts';
import { openInMemory } from '../storages/opened-storage.ts';

const MINUTE = 60_000;

/** A recorder on a storage that can be away. */
async function open({ samples = false } = {}) {
  const { clock, storage } = await openInMemory();
  const lines: LogFields[] = [];
  const state = { isAway: false, additions: 0, setBackMs: 0 };
  const add: Storage['measurements']['add'] = async (rows) => {
    state.additions += 1;
    if (state.isAway) throw new Error('the disk is full');
    await storage.measurements.add(rows);
  };
  const watched = { ...storage, measurements: { ...storage.measurements, add } };
  const warn = (message: string, fields?: LogFields) => void lines.push({ message, ...fields });
  const logger = { debug() {}, info() {}, warn, error() {} };
  const clockOfHost = { now: () => clock.now() - state.setBackMs, sleep: clock.sleep };
  const recorder = createMeasurementRecorder({ storage: watched, clock: clockOfHost, logger, telemetry: NO_TELEMETRY });
  const stopping = new AbortController();
  const running = recorder.run(stopping.signal, { samples }).catch(() => undefined);
  const stop = async () => {
    stopping.abort();
    await running;
  };
  onTestFinished(async () => {
    await stop();
    await storage.close();
  });
  const startAt = clock.now();
  const list = (names: readonly string[] = ['deliveries']) =>
    storage.measurements.list({ names, from: 0, to: clock.now() + MINUTE, stepMs: MINUTE });
  const post = (seconds: number, result = '2xx') =>
    recorder.telemetry.observe('kalends_delivery_duration_seconds', { result }, seconds);
  return { clock, storage, recorder, state, lines, startAt, list, post, stop };
}

const row = (at: number, patch: Partial<MeasurementRow>): MeasurementRow => ({
  at,
  name: 'deliveries',
  provider: '',
  result: '2xx',
  count: 1,
  sum: 0,
  max: 0,
  ...patch,
});

it('stores measurements 15 s after the first of them, in the minutes in which they were made', async () => {
  const { clock, post, list, state, startAt } = await open();
  await clock.advance(50_000);
  post(1);
  await clock.advance(11_000);
  post(3);
  post(2);
  post(0.5, 'timeout');
  await clock.advance(3_999);
  expect(await list()).toEqual([]);
  await clock.advance(1);
  expect(await list()).toEqual([
    row(startAt, { sum: 1, max: 1 }),
    row(startAt + MINUTE, { count: 2, sum: 5, max: 3 }),
    row(startAt + MINUTE, { result: 'timeout', sum: 0.5, max: 0.5 }),
  ]);
  post(4);
  await clock.advance(15_000);
  expect((await list())[1]).toEqual(row(startAt + MINUTE, { count: 3, sum: 9, max: 4 }));
  expect(state.additions).toBe(2);
});

it('keeps requests of the interface by the class of their status, and none of the administration', async () => {
  const { clock, recorder, list, startAt } = await open();
  const requests = [
    ['/v1/calendars/{endUserAccountId}', '200'],
    ['/v1/calendars/{endUserAccountId}', '204'],
    ['/v1/endUserAccounts', '503'],
    ['/admin/v1/measurements', '200'],
    ['none', '404'],
  ] as const;
  for (const [route, status] of requests) {
    const labels = { route, method: 'GET', status };
    recorder.ofBindings.observe('kalends_http_request_duration_seconds', labels, 0.5);
  }
  await clock.advance(15_000);
  expect(await list(['requests'])).toEqual([
    row(startAt, { name: 'requests', count: 2, sum: 1, max: 0.5 }),
    row(startAt, { name: 'requests', result: '5xx', sum: 0.5, max: 0.5 }),
  ]);
});

it('writes nothing while nothing happens', async () => {
  const { clock, state, post } = await open({ samples: true });
  await clock.advance(24 * 60 * MINUTE);
  expect(state.additions).toBe(0);
  post(1);
  await clock.advance(MINUTE);
  expect(state.additions).toBe(1);
});

/** Makes a collection of an account due. */
async function makeDue(storage: Storage, dueAt: number) {
  await storage.applications.create({
    id: 'app_1',
    name: 'Shop',
    redirectUrls: [],
    createdAt: 1,
    updatedAt: 1,
    deletedAt: null,
  });
  const key = { applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1' };
  await storage.accounts.save(account(key), credential(key));
  await storage.schedule.dueBy(key, dueAt);
  return key;
}

it('goes on with its samples after the clock was set back by an hour', async () => {
  const { clock, storage, list, state, startAt } = await open({ samples: true });
  await makeDue(storage, startAt);
  await clock.advance(1.5 * MINUTE);
  state.setBackMs = 60 * MINUTE;
  await clock.advance(10 * MINUTE);
  const samples = (await list(['dueCollections'])).reduce((total, { count }) => total + count, 0);
  expect(samples).toBeGreaterThanOrEqual(9);
});

it('samples due work once a minute, as long as there is any', async () => {
  const { clock, storage, list, startAt } = await open({ samples: true });
  const names = ['dueCollections', 'syncLagSeconds', 'dueDeliveries', 'deliveryLagSeconds'];
  const key = await makeDue(storage, startAt + 30_000);
  await clock.advance(2 * MINUTE);
  await storage.schedule.finish(key, { failures: 0, dueAt: null });
  await clock.advance(10 * MINUTE);
  const of = (minute: number, name: string, value: number) =>
    row(startAt + minute * MINUTE, { name, result: '', sum: value, max: value });
  expect(await list(names)).toEqual([
    of(1, 'dueCollections', 1),
    of(1, 'syncLagSeconds', 30),
    of(2, 'dueCollections', 1),
    of(2, 'syncLagSeconds', 90),
  ]);
});

const account = ({ applicationId, accountId }: { readonly applicationId: string; readonly accountId: string }) => ({
  id: accountId,
  applicationId,
  providerType: 'PROVIDER_A',
  providerConfigId: 'prv_1',
  providerAccountId: null,
  email: 'ada@example.com',
  externalId: null,
  authorizedScopes: [],
  status: 'ACTIVE' as const,
  createdAt: 1,
  updatedAt: 1,
});

const credential = ({ applicationId, accountId }: { readonly applicationId: string; readonly accountId: string }) => ({
  id: 'crd_1',
  applicationId,
  accountId,
  kind: 'oauth' as const,
  wrappedKey: 'k',
  sealedAccessToken: 'a',
  sealedRefreshToken: 'r',
  expiresAt: 5,
  status: 'ACTIVE' as const,
  version: 1,
  createdAt: 1,
  updatedAt: 1,
});

it('keeps what cannot be stored, says so, and stores it later', async () => {
  const { clock, post, list, state, lines, startAt } = await open();
  state.isAway = true;
  post(1);
  await clock.advance(16_000);
  post(2);
  await clock.advance(45_000);
  post(4);
  expect(await list()).toEqual([]);
  expect(lines[0]).toEqual({
    message: 'storing measurements failed; it is tried again',
    error: 'Error: the disk is full',
  });
  state.isAway = false;
  await clock.advance(15_000);
  expect(await list()).toEqual([row(startAt, { count: 2, sum: 3, max: 2 }), row(startAt + MINUTE, { sum: 4, max: 4 })]);
});

it('loses nothing of a day without storage, and keeps no more than an hour of minutes of it', async () => {
  const { clock, post, list, state } = await open();
  state.isAway = true;
  for (let minute = 0; minute < 24 * 60; minute += 1) {
    post(minute);
    await clock.advance(MINUTE);
  }
  state.isAway = false;
  await clock.advance(15_000);
  const rows = await list();
  expect(rows.length).toBe(60);
  expect(rows.reduce((total, { count }) => total + count, 0)).toBe(24 * 60);
  expect(rows.reduce((total, { sum }) => total + sum, 0)).toBe((24 * 60 * (24 * 60 - 1)) / 2);
  expect(rows[0]).toMatchObject({ count: 24 * 60 - 59, max: 24 * 60 - 60 });
});

it('stores the rest when it is closed, and does not reject while the storage is away', async () => {
  const { recorder, post, list, state, stop, lines } = await open();
  post(1);
  await stop();
  state.isAway = true;
  await recorder.close();
  expect(lines.length).toBe(1);
  state.isAway = false;
  await recorder.close();
  expect(await list()).toHaveLength(1);
  await recorder.close();
  expect(state.additions).toBe(2);
});

it('takes nothing away for a clock that was set back, and stores what is a number beside what is none', async () => {
  const { clock, post, list, startAt } = await open();
  for (const seconds of [2, -3_600, Number.NaN, Number.POSITIVE_INFINITY]) post(seconds);
  await clock.advance(15_000);
  expect(await list()).toEqual([row(startAt, { count: 2, sum: 2, max: 2 })]);
});
