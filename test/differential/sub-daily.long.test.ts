import { expect, test } from 'vitest';
import { agreeInWindows } from './sub-daily-agreement.ts';

// Two million windows in all: the edges of rules, changes of clocks, and the far end of a hundred years.
test.each([11, 12, 13, 14])('25,000 sub-daily rules from seed %i agree with the definition', (seed) => {
  expect(agreeInWindows(seed, 25_000)).toBeGreaterThan(1_000_000);
});
