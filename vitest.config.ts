import { defineConfig } from 'vitest/config';

const conditions = ['kalends-source', 'node'];

/** Suites that take minutes; `npm run test:long` plays them. */
export const LONG_SUITES = ['test/attacks/**/*.test.ts', '**/*.long.test.ts'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: [new URL('adapters/postgres/test/server/global-setup.ts', import.meta.url).pathname],
    include: ['test/**/*.test.ts', 'adapters/*/test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', ...LONG_SUITES],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
