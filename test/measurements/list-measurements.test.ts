import type { MeasurementQuery } from 'kalends/model';
import type { KalendsError, MeasurementRow } from 'kalends/ports';
import { expect, it } from 'vitest';
import { openComposedEngine } from '../accounts/composed-engine.ts';

const MINUTE = 60_000;

const row = (at: number, name: string, patch: Partial<MeasurementRow> = {}): MeasurementRow => ({
  at,
  name,
  provider: 'GOOGLE',
  result: 'ok',
  count: 1,
  sum: 1,
  max: 1,
  ...patch,
});

const iso = (at: number) => new Date(at).toISOString();

it('lists the last hour by the minute, series by series with their totals', async () => {
  const { engine, clock, storage } = await openComposedEngine();
  const now = clock.now();
  await storage.measurements.add([
    row(now - 60 * MINUTE, 'pulls', { sum: 3, max: 3 }),
    row(now - 61 * MINUTE, 'pulls'),
    row(now - MINUTE, 'pulls', { count: 2, sum: 4, max: 2 }),
    row(now - MINUTE, 'providerCalls', { result: 'rate-limited' }),
    row(now - MINUTE, 'deliveries', { provider: '', result: '2xx' }),
    row(now - MINUTE, 'syncLagSeconds', { provider: '', result: '' }),
    row(now - MINUTE, 'ofALaterVersion'),
  ]);
  const { since, until, stepMs, data } = await engine.services.operations.listMeasurements();
  expect({ since, until, stepMs }).toEqual({ since: iso(now - 60 * MINUTE), until: iso(now), stepMs: MINUTE });
  const one = { count: 1, sum: 1, max: 1 };
  const points = [{ at: iso(now - MINUTE), ...one }];
  expect(data).toEqual([
    { name: 'providerCalls', provider: 'GOOGLE', result: 'rate-limited', ...one, points },
    {
      name: 'pulls',
      provider: 'GOOGLE',
      result: 'ok',
      count: 3,
      sum: 7,
      max: 3,
      points: [
        { at: iso(now - 60 * MINUTE), count: 1, sum: 3, max: 3 },
        { at: iso(now - MINUTE), count: 2, sum: 4, max: 2 },
      ],
    },
    { name: 'deliveries', provider: null, result: '2xx', ...one, points },
    { name: 'syncLagSeconds', provider: null, result: null, ...one, points },
  ]);
});

it('takes a time, a step and names; the first step is whole', async () => {
  const { engine, storage } = await openComposedEngine();
  const hour = Date.UTC(2026, 2, 2, 9);
  await storage.measurements.add([row(hour, 'pulls'), row(hour + 14 * MINUTE, 'pulls'), row(hour, 'providerCalls')]);
  const list = await engine.services.operations.listMeasurements({
    since: iso(hour + 7 * MINUTE),
    until: iso(hour + 30 * MINUTE),
    stepMs: 15 * MINUTE,
    names: 'pulls,deliveries',
  });
  expect(list).toMatchObject({
    since: iso(hour),
    data: [{ name: 'pulls', count: 2, points: [{ at: iso(hour), count: 2 }] }],
  });
  expect(list.data).toHaveLength(1);
});

const day = { since: '2026-03-02T00:00:00Z', until: '2026-03-03T00:00:00Z' };

it.each([
  ['a step that is no whole minute', { stepMs: 90_000 }, 'stepMs', 'must be whole minutes: a multiple of 60000'],
  ['a step below a minute', { stepMs: 1_000 }, 'stepMs', 'must be at least 60000'],
  ['too many steps', { ...day, since: '2026-03-01T23:59:00Z' }, 'stepMs', 'at most 1440 steps'],
  ['no time', { since: day.until, until: day.until }, 'since', 'must be before until'],
  ['a begin that is no time', { since: 'yesterday' }, 'since', 'must be a time such as'],
  ['an unknown name', { names: 'pulls,pushes' }, 'names', 'must be a list of providerCalls, '],
  ['an empty name', { names: '' }, 'names', 'must be a list of providerCalls, '],
  ['an unknown field', { step: 60_000 }, 'step', ''],
])('refuses %s', async (_case, query, path, message) => {
  const { engine } = await openComposedEngine();
  const refused = await engine.services.operations.listMeasurements(query as MeasurementQuery).then(
    () => undefined,
    (error: KalendsError) => error,
  );
  expect(refused).toMatchObject({
    code: 'InvalidRequest',
    details: [{ path, message: expect.stringContaining(message) }],
  });
});

it('lists a whole day by the minute', async () => {
  const { engine } = await openComposedEngine();
  const { listMeasurements } = engine.services.operations;
  expect((await listMeasurements(day)).data).toEqual([]);
  const within = { since: '2026-03-02T00:00:30Z', until: '2026-03-03T00:00:30Z' };
  expect((await listMeasurements(within)).since).toBe('2026-03-02T00:00:00.000Z');
});
