import { expect, test } from 'vitest';
import { simulate } from './simulation.ts';

test.each(['google', 'microsoft'] as const)('a seed replays one history of %s', {
  timeout: 60_000,
}, async (provider) => {
  const [first, second] = [await simulate({ provider, seed: 7 }), await simulate({ provider, seed: 7 })];
  expect(second.history).toEqual(first.history);
  expect(second.faults.entries()).toEqual(first.faults.entries());
  expect(second.kills.entries()).toEqual(first.kills.entries());
});
