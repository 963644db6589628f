import { defineConfig } from 'vitest/config';

const conditions = ['kalends-source', 'node'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ['adapters/postgres/test/server/global-setup.ts'],
    include: ['test/**/*.test.ts', 'adapters/*/test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
