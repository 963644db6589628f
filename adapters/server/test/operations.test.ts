import { manualClock } from '@kalends/conformance';
import type { StorageState } from 'kalends/ports';
import { expect, it } from 'vitest';
import { createMetrics, type Metrics } from '../src/serve/metrics.ts';
import { createOperations } from '../src/serve/operations.ts';

const TOKEN = 'mtr_0123456789abcdef';

function operations(...metricsTokens: readonly string[]) {
  const metrics: Metrics = { contentType: 'text/plain', count() {}, observe() {}, serialize: async () => '# EOF\n' };
  const health = { inspect: () => Promise.reject(new Error('away')) };
  const dataKeys = { check: () => Promise.reject(new Error('away')) };
  const answer = createOperations({ health, dataKeys, metrics, metricsTokens, isDraining: () => true });
  return async (path: string, remoteAddress: string | undefined, headers: Record<string, string> = {}) => {
    const response = await answer(new Request(`http://kalends.test${path}`, { headers }), { remoteAddress });
    expect(response?.headers.get('x-content-type-options')).toBe('nosniff');
    return { status: response?.status, text: (await response?.text()) ?? '' };
  };
}

it.each([
  ['127.0.0.1', {}, 200],
  ['::1', {}, 200],
  ['::ffff:127.0.0.9', {}, 200],
  ['10.0.0.9', {}, 403],
  ['::ffff:10.0.0.9', {}, 403],
  ['127.0.0.1.example', {}, 403],
  [undefined, {}, 403],
  ['127.0.0.1', { 'x-forwarded-for': '203.0.113.7' }, 403],
  ['127.0.0.1', { forwarded: 'for=203.0.113.7' }, 403],
])('without a token measures for this machine alone: %s %j', async (address, headers, status) => {
  const answer = operations();
  expect((await answer('/metrics', address, headers)).status).toBe(status);
  const ready = await answer('/readyz', address, headers);
  expect(ready.status).toBe(503);
  expect(JSON.parse(ready.text)).toEqual({
    status: 'not ready',
    ...(status === 200 ? { reason: 'the process is stopping' } : {}),
  });
});

function readiness(state: Partial<StorageState>) {
  const metrics: Metrics = { contentType: 'text/plain', count() {}, observe() {}, serialize: async () => '# EOF\n' };
  const sound = { isMigrated: true, hasLaterMigrations: false, zoneData: null, fault: null };
  const health = { inspect: async () => ({ ...sound, ...state }) };
  const dataKeys = {
    check: async () => ({ opens: 'all' as const, isChecked: true, missingKeyIds: [] }),
  };
  const answer = createOperations({ health, dataKeys, metrics, isDraining: () => false });
  return async (remoteAddress = '127.0.0.1') => {
    const response = await answer(new Request('http://kalends.test/readyz'), { remoteAddress });
    return [response?.status, await response?.json()];
  };
}

it.each([
  ['a later version has migrated the database', { hasLaterMigrations: true }, 'a later version migrated the database'],
  ['the database expects newer tz data', { zoneData: '9999a' }, 'but the database expects 9999a'],
])('stays ready when %s: all processes but the first new one are older then', async (_case, state, reason) => {
  const ask = readiness(state);
  expect(await ask()).toEqual([200, { status: 'ready', reason: expect.stringContaining(reason) }]);
  expect(await ask('203.0.113.7')).toEqual([200, { status: 'ready' }]);
});

it.each([
  ['lacks a migration', { isMigrated: false }],
  ['expects older tz data, as long as processes with it run', { zoneData: '1999z' }],
])('is not ready when the database %s', async (_case, state) => {
  expect(await readiness(state)()).toMatchObject([503, { status: 'not ready' }]);
});

it('stays ready while one of several databases is in trouble, and names it to operators', async () => {
  const ask = readiness({ troubles: [{ database: 'two', problem: 'does not answer' }] });
  expect(await ask('127.0.0.1')).toEqual([200, { status: 'ready', databases: { two: 'does not answer' } }]);
  expect(await ask('203.0.113.7')).toEqual([200, { status: 'ready' }]);
});

it('measures while the database hangs: the process is not ready, and the numbers of the storage are unknown', async () => {
  const clock = manualClock();
  const hang = () => new Promise<never>(() => undefined);
  const health = { stats: hang, inspect: hang };
  const metrics = createMetrics(health, [], clock);
  const answer = createOperations({ health, dataKeys: { check: hang }, metrics, isDraining: () => false, clock });
  const scraped = answer(new Request('http://kalends.test/metrics'), { remoteAddress: '127.0.0.1' });
  await clock.advance(3_000);
  const text = await (await scraped)?.text();
  expect(text).toContain('\nkalends_ready 0\n');
  expect(text).toContain('\nkalends_due_collections Nan\n');
});

it('with a token asks everyone for it', async () => {
  const answer = operations(TOKEN);
  const authorization = `Bearer ${TOKEN}`;
  expect((await answer('/metrics', '127.0.0.1')).status).toBe(401);
  expect((await answer('/metrics', '127.0.0.1', { authorization: 'Bearer other' })).status).toBe(401);
  expect((await answer('/metrics', '203.0.113.7', { authorization })).status).toBe(200);
  expect((await answer('/readyz', '127.0.0.1')).text).not.toContain('stopping');
  expect((await answer('/readyz', '203.0.113.7', { authorization })).text).toContain('stopping');
  expect((await answer('/healthz', '203.0.113.7')).status).toBe(200);
});
