import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/** The same comparisons over ten times the cases: `npx vitest run --config test/differential/long.config.ts`. */
export default defineConfig({
  ...base,
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/differential/*.test.ts'],
    provide: { differentialCases: 20_000 },
    testTimeout: 1_800_000,
  },
});
