import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import type { MeasurementRow, Telemetry } from 'kalends/ports';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fakeProvider } from '../accounts/fake-provider.ts';
import { revoke } from '../interface/steps.ts';
import { createWorld, type World } from '../interface/world.ts';
import { newDatabase, STORAGES } from '../storages/new-database.ts';
import { storageAt } from '../storages/storage-at.ts';
import { openReceiver } from '../webhooks/receiver.ts';

/** A host's telemetry that keeps every value of each metric, under the labels that a series keeps. */
function independent() {
  const told = new Map<string, number[]>();
  const waiting = new Set<() => void>();
  const note = (metric: string, labels: Readonly<Record<string, string>>, value: number) => {
    const { provider = '', outcome = '', status = '', result = outcome + status.replace(/..$/, 'xx') } = labels;
    const isByProvider = metric === 'kalends_provider_call_duration_seconds';
    const key = [metric, provider, isByProvider ? '' : result].filter((part) => part !== '').join(' ');
    told.set(key, [...(told.get(key) ?? []), value]);
    for (const look of waiting) look();
  };
  /** Resolves when a key has been told so often. */
  const times = (key: string, count: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if ((told.get(key)?.length ?? 0) < count) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const telemetry: Telemetry = {
    count: (metric, labels) => note(metric, labels, 1),
    observe: (metric, labels, value) => note(metric, labels, value),
  };
  return { telemetry, told, times };
}

const METRIC_OF: Readonly<Record<string, string>> = {
  providerCalls: 'kalends_provider_calls_total',
  providerCallSeconds: 'kalends_provider_call_duration_seconds',
  pulls: 'kalends_pull_duration_seconds',
  deliveries: 'kalends_delivery_duration_seconds',
  accountsExpired: 'kalends_accounts_expired_total',
  requests: 'kalends_http_request_duration_seconds',
};

async function inWorldOf(database: string, telemetry: Telemetry, background: boolean): Promise<World> {
  const world = await createWorld({ storage: await storageAt(database), telemetry }, { background });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= world.close());
  onTestFinished(close);
  return { ...world, close };
}

async function readCalendars(world: World): Promise<void> {
  for (const provider of ['google', 'microsoft'] as const) {
    const { accountId, calendarId } = await world.connect(provider);
    await world.call('GET', `/v1/calendars/${accountId}`);
    await world.call('GET', `/v1/events/${accountId}/${calendarId}`);
    await world.call('GET', `/v1/events/${accountId}/nowhere`);
  }
}

describe.each(STORAGES)('measurements of two engines and a restart on %s', (storageName) => {
  it('add up to what the host has been told', { timeout: 60_000 }, async () => {
    const database = await newDatabase(storageName);
    const { telemetry, told, times } = independent();
    const one = await inWorldOf(database, telemetry, false);
    const other = await inWorldOf(database, telemetry, false);
    await Promise.all([readCalendars(one), readCalendars(other)]);
    await one.close();
    await other.close();

    const again = await inWorldOf(database, telemetry, true);
    const receiver = await openReceiver();
    const body = { webhookUrl: receiver.url };
    expect((await again.call('POST', '/v1/webhookEndpoints', { body })).status).toBe(201);
    const { accountId, email } = await again.connect('google');
    await revoke(again, 'google', email);
    await again.engine.operations.sync(again.applicationId, accountId);
    await Promise.all([
      times('kalends_accounts_expired_total PROVIDER_A', 1),
      times('kalends_pull_duration_seconds PROVIDER_A failed', 1),
      // The account was connected, and has expired.
      times('kalends_delivery_duration_seconds 2xx', 2),
    ]);
    await again.close();

    const storage = await storageAt(database);
    await storage.open();
    onTestFinished(() => storage.close());
    const names = Object.keys(METRIC_OF);
    const rows = await storage.measurements.list({ names, from: 0, to: Date.now() + 60_000, stepMs: 86_400_000 });
    const kept = new Map<string, MeasurementRow>();
    for (const row of rows) {
      const key = [METRIC_OF[row.name], row.provider, row.result].filter((part) => part !== '').join(' ');
      const { count = 0, sum = 0, max = 0 } = kept.get(key) ?? {};
      kept.set(key, { ...row, count: count + row.count, sum: sum + row.sum, max: Math.max(max, row.max) });
    }
    const expected = [...told].filter(([key]) => Object.values(METRIC_OF).includes(key.split(' ')[0] ?? ''));
    expect(told.get('kalends_http_request_duration_seconds 4xx')?.length).toBeGreaterThan(0);
    expect([...kept.keys()].sort()).toEqual(expected.map(([key]) => key).sort());
    expect(new Set(expected.map(([key]) => key.split(' ')[0])).size).toBe(names.length);
    for (const [key, values] of expected) {
      const { count, sum, max } = kept.get(key)!;
      expect([key, count, max]).toEqual([key, values.length, Math.max(...values)]);
      expect(sum).toBeCloseTo(
        values.reduce((total, value) => total + value, 0),
        6,
      );
    }
  });
});

it('an engine without measurements stores none', async () => {
  const storage = sqlite({ path: ':memory:' });
  let additions = 0;
  const add: typeof storage.measurements.add = async () => {
    additions += 1;
  };
  const engine = createEngine({
    storage: { ...storage, measurements: { ...storage.measurements, add }, close: async () => undefined },
    providers: { FAKE: fakeProvider(() => 0).provider },
    secret: Buffer.alloc(32, 1).toString('base64'),
    measurements: false,
  });
  await engine.start();
  const { id } = await engine.applications.create({ name: 'Shop' });
  await engine.oauthClients.set(id, 'FAKE', { clientId: 'client', clientSecret: 'secret' });
  await engine.oauthClients.test(id, 'FAKE').catch(() => undefined);
  await engine.stop();
  expect(additions).toBe(0);
  await storage.close();
});

it('an engine removes measurements after 48 hours', async () => {
  const storage = sqlite({ path: ':memory:' });
  await storage.open();
  const hour = 3_600_000;
  const now = Math.floor(Date.now() / hour) * hour;
  const row = { name: 'pulls', provider: 'FAKE', result: 'ok', count: 1, sum: 1, max: 1 };
  // More than are removed at a time.
  const old = Array.from({ length: 2_500 }, (_, index) => ({ ...row, at: now - 49 * hour - index * 60_000 }));
  const young = { ...row, at: now - 47 * hour };
  await storage.measurements.add([...old, young]);
  let purged = () => {};
  const isPurged = new Promise<void>((resolve) => {
    purged = resolve;
  });
  const settle = async () => purged();
  const engine = createEngine({
    storage: { ...storage, erasure: { ...storage.erasure, settle }, close: async () => undefined },
    providers: { FAKE: fakeProvider(() => 0).provider },
    secret: Buffer.alloc(32, 1).toString('base64'),
  });
  await engine.start();
  await isPurged;
  await engine.stop();
  const query = { names: ['pulls'], from: 0, to: now, stepMs: 60_000 };
  expect(await storage.measurements.list(query)).toEqual([young]);
  await storage.close();
});
