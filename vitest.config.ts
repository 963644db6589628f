import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';
import { slowestFiles } from './test/slowest-files.ts';

const conditions = ['kalends-source', 'node'];

/** Suites that take minutes; `npm run test:long` plays them. */
export const LONG_SUITES = ['test/attacks/**/*.test.ts', '**/*.long.test.ts'];

const MEMORY_FOLDER = '/dev/shm';
const ENOUGH_BYTES = 2 ** 31;

/**
 * Returns the folder for databases and other files of the tests: in memory where there is room for them. SQLite waits for
 * the disk at each commit, which takes minutes in all and proves nothing: no test cuts the machine's power.
 */
function temporaryFolder(): string {
  if (!existsSync(MEMORY_FOLDER)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bavail * bsize < ENOUGH_BYTES ? tmpdir() : MEMORY_FOLDER;
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: [new URL('adapters/postgres/test/server/global-setup.ts', import.meta.url).pathname],
    include: ['test/**/*.test.ts', 'adapters/*/test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'test/hosts/**', 'test/servers/**', ...LONG_SUITES],
    env: { TMPDIR: temporaryFolder() },
    reporters: ['default', slowestFiles],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    isolate: false,
  },
});
