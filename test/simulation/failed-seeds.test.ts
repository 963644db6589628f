import { expect, test } from 'vitest';
import { FAILED_SEEDS } from './failed-seeds.ts';
import { simulate } from './simulation.ts';

test.each(FAILED_SEEDS)('seed $seed at $provider holds, which found $found', { timeout: 120_000 }, async (played) => {
  expect((await simulate(played)).failures).toEqual([]);
});
