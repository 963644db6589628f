import assert from 'node:assert/strict';
import type { MeasurementRow, Storage } from 'kalends/ports';
import { inWorld, race, type StorageConformanceOptions } from './world.ts';

const MINUTE = 60_000;
/** A whole quarter of an hour. */
const START = 1_900_000 * 15 * MINUTE;

const row = (minute: number, patch: Partial<MeasurementRow> = {}): MeasurementRow => ({
  at: START + minute * MINUTE,
  name: 'pulls',
  provider: 'PROVIDER_A',
  result: 'ok',
  count: 1,
  sum: 0.5,
  max: 0.5,
  ...patch,
});

const listed = ({ measurements }: Storage, query: Partial<Parameters<typeof measurements.list>[0]> = {}) =>
  measurements.list({ names: ['pulls', 'deliveries'], from: START, to: START + 60 * MINUTE, stepMs: MINUTE, ...query });

/** MeasurementStore. */
export function measurementConformance(options: StorageConformanceOptions): void {
  inWorld(options, 'measurements: processes add to one minute at once, and nothing is lost', async (world) => {
    const rows = [row(0, { sum: 0.25 }), row(0, { result: 'failed' }), row(1), row(0, { name: 'deliveries' })];
    await race(world, 20, ({ measurements }, index) =>
      // In turned order, as two processes that wait for each other's rows would.
      measurements.add((index % 4 < 2 ? rows : rows.toReversed()).map((each) => ({ ...each, max: index }))),
    );
    assert.deepEqual(await listed(world.peer), [
      row(0, { name: 'deliveries', count: 20, sum: 10, max: 19 }),
      row(0, { result: 'failed', count: 20, sum: 10, max: 19 }),
      row(0, { count: 20, sum: 5, max: 19 }),
      row(1, { count: 20, sum: 10, max: 19 }),
    ]);
  });

  inWorld(options, 'measurements: a row that stands in a list twice counts twice', async ({ storage, peer }) => {
    await storage.measurements.add([row(0, { max: 3 }), row(1), row(0, { count: 4, sum: 7, max: 2 })]);
    await storage.measurements.add([]);
    assert.deepEqual(await listed(peer), [row(0, { count: 5, sum: 7.5, max: 3 }), row(1)]);
  });

  inWorld(options, 'measurements: more rows than a statement takes are added', async ({ storage, peer }) => {
    const rows = Array.from({ length: 700 }, (_, minute) => row(minute));
    await storage.measurements.add(rows);
    assert.deepEqual(await listed(peer, { to: START + 700 * MINUTE }), rows);
  });

  inWorld(options, 'measurements: minutes are summed over periods that count from 1970', async ({ storage }) => {
    await storage.measurements.add([row(0), row(14, { max: 0.75 }), row(15), row(15, { provider: '', result: '' })]);
    const stepMs = 15 * MINUTE;
    assert.deepEqual(await listed(storage, { stepMs }), [
      row(0, { count: 2, sum: 1, max: 0.75 }),
      row(15, { provider: '', result: '' }),
      row(15),
    ]);
    assert.deepEqual(await listed(storage, { stepMs, from: START + MINUTE }), [
      row(0, { max: 0.75 }),
      ...(await listed(storage, { stepMs, from: START + stepMs })),
    ]);
  });

  inWorld(
    options,
    'measurements: a list begins with its first minute, ends before its last, and names its series',
    async ({ storage }) => {
      await storage.measurements.add([row(0), row(1), row(2), row(1, { name: 'deliveries' })]);
      assert.deepEqual(await listed(storage, { names: ['pulls'], from: START + MINUTE, to: START + 2 * MINUTE }), [
        row(1),
      ]);
      assert.deepEqual(await listed(storage, { names: [] }), []);
    },
  );

  inWorld(options, 'measurements: old minutes are removed, so many at a time', async ({ storage, peer }) => {
    await storage.measurements.add([row(0), row(0, { result: 'failed' }), row(1), row(2)]);
    const { measurements } = storage;
    assert.equal(await measurements.purge(START + 2 * MINUTE, 2), 2);
    assert.deepEqual(await listed(peer), [row(1), row(2)]);
    assert.equal(await measurements.purge(START + 2 * MINUTE, 2), 1);
    assert.equal(await measurements.purge(START + 2 * MINUTE, 2), 0);
    assert.deepEqual(await listed(peer), [row(2)]);
  });
}
