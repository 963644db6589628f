import type { MeasurementList } from 'kalends/model';
import { expect, test } from 'vitest';
import { providerTroubles } from '../../adapters/dashboard/page/pages/overview/provider-troubles.ts';

const NOW = Date.parse('2027-01-31T09:15:00.000Z');
const AT = '2027-01-31T09:00:00.000Z';

/** The measurements of one step: how many calls of a provider ended in each way. */
function calls(provider: string, counts: Readonly<Record<string, number>>): MeasurementList {
  const data = Object.entries(counts).map(([result, count]) => {
    const measured = { count, sum: count, max: 1 };
    return { name: 'providerCalls', provider, result, ...measured, points: [{ at: AT, ...measured }] };
  });
  return { since: AT, until: new Date(NOW).toISOString(), stepMs: 900_000, data };
}

const found = (provider: string, counts: Readonly<Record<string, number>>) =>
  providerTroubles(calls(provider, counts), provider, NOW);

test('a wrong password, or a write that was taken in part, is an answer and no failure of the provider', () => {
  expect(found('CALDAV', { ok: 6, unauthorized: 1 })).toEqual([]);
  expect(found('PROVIDER_A', { ok: 6, 'partly-taken': 2 })).toEqual([]);
});

test('a few failures are a warning, many are not', () => {
  expect(found('PROVIDER_A', { ok: 99, unavailable: 5 })).toEqual([]);
  expect(found('PROVIDER_A', { ok: 6, unavailable: 1 })).toMatchObject([{ tone: 'warning' }]);
  expect(found('PROVIDER_A', { ok: 60, unavailable: 9, timeout: 1 })).toMatchObject([{ tone: 'bad' }]);
});
