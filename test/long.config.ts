import { defineConfig } from 'vitest/config';
import base, { LONG_SUITES } from '../vitest.config.ts';

/** The suites that take minutes, attacks among them: `npm run test:long`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    root: new URL('..', import.meta.url).pathname,
    include: LONG_SUITES,
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 900_000,
    hookTimeout: 120_000,
  },
});
