import type { MeasurementList } from 'kalends/model';
import { expect, test } from 'vitest';
import { plotsOf } from '../../adapters/dashboard/page/pages/overview/plots-of.ts';

const AT = '2027-01-31T09:00:00.000Z';

/** The measurements of one step: how many pulls ended in each way. */
function pulls(counts: Readonly<Record<string, number>>): MeasurementList {
  const data = Object.entries(counts).map(([result, count]) => {
    const measured = { count, sum: count, max: 1 };
    return { name: 'pulls', provider: 'PROVIDER_A', result, ...measured, points: [{ at: AT, ...measured }] };
  });
  return { since: AT, until: '2027-01-31T09:15:00.000Z', stepMs: 900_000, data };
}

function plotOf(counts: Readonly<Record<string, number>>) {
  const plot = plotsOf(pulls(counts)).find(({ name }) => name === 'pulls');
  const { lines = [], remark, remarkTone } = plot ?? {};
  return { lines: lines.map(({ label, values }) => [label, ...values]), remark, remarkTone };
}

test('a pull that waits for its turn, or is another process’s, has not failed', () => {
  expect(plotOf({ ok: 10, postponed: 30, abandoned: 5 })).toEqual({
    lines: [
      ['Complete', 10],
      ['Failed', 0],
      ['Postponed', 30],
    ],
    remark: 'none failed',
    remarkTone: 'muted',
  });
  expect(plotOf({ ok: 10, failed: 5, postponed: 5 })).toMatchObject({ remark: '25% failed', remarkTone: 'bad' });
});
