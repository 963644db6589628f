import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

const root = new URL('../..', import.meta.url).pathname;

/** CalDAV servers that others wrote, started for the run: `npm run test:servers`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    root,
    globalSetup: [`${root}adapters/postgres/test/server/global-setup.ts`, `${root}test/servers/start/start-servers.ts`],
    include: ['test/servers/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The servers are shared: two files at once would take each other's time, not each other's calendars.
    maxWorkers: 2,
  },
});
