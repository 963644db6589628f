import { describe, expect, test } from 'vitest';
import { IDLE_STEP_MS } from './cost-world.ts';
import { measureCosts } from './measure-costs.ts';

/** Changes of events show in each poll at both providers. */
const LONGEST_POLL_MS = 6 * 3_600_000;

/** Page sizes at which 40 events take as many pages as 10,000 do: four at Google, ten of tags at Graph. */
const PROVIDERS = [
  { provider: 'google', pageSize: 10, days: 8 },
  { provider: 'microsoft', pageSize: 1, days: 14 },
] as const;

describe.each(PROVIDERS)('a watched calendar at $provider', { timeout: 60_000 }, ({ provider, ...at }) => {
  test('of one page costs at most six calls a day when nothing happens', async () => {
    const { callsPerDay, changes } = await measureCosts({ provider, calendars: 1, events: 40, days: 4 });
    expect(changes).toBe(0);
    expect(callsPerDay).toBeGreaterThan(1);
    expect(callsPerDay).toBeLessThanOrEqual(6);
  });

  test('of as many pages as 10,000 events take costs no more', async () => {
    const { pageSize, days } = at;
    const { callsPerDay } = await measureCosts({ provider, calendars: 1, events: 40, pageSize, days });
    expect(callsPerDay).toBeGreaterThan(1);
    expect(callsPerDay).toBeLessThanOrEqual(6);
  });

  test('is no older than the longest interval of polls when every push is lost', async () => {
    const costs = await measureCosts({ provider, calendars: 1, events: 10, days: 2, changesPerDay: 2, drop: 1 });
    expect(costs.changes).toBe(4);
    expect(costs.longestStalenessMs).toBeGreaterThan(0);
    expect(costs.longestStalenessMs).toBeLessThanOrEqual(LONGEST_POLL_MS + IDLE_STEP_MS);
  });
});

// Of 19 events none is a series; of the first ten of 50 two are.
test.each([
  ['google', 19],
  ['microsoft', 19],
  ['microsoft', 50],
] as const)(
  'a change of an active calendar at %s with %d events costs at most 1.3 calls',
  {
    timeout: 60_000,
  },
  async (provider, events) => {
    const active = { provider, calendars: 1, events, days: 2, changesPerDay: 24 };
    const { callsPerChange } = await measureCosts(active);
    expect(callsPerChange).toBeGreaterThan(0.5);
    expect(callsPerChange).toBeLessThanOrEqual(1.3);
  },
);
