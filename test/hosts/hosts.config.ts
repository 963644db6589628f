import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

const root = new URL('../..', import.meta.url).pathname;

/** The examples and the entries as users install them, from packed packages and the registry: `npm run test:hosts`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    root,
    globalSetup: [`${root}adapters/postgres/test/server/global-setup.ts`, `${root}test/hosts/pack-packages.ts`],
    include: ['test/hosts/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    reporters: ['verbose'],
    testTimeout: 240_000,
    // Hooks install and build whole applications, which on a loaded machine takes minutes.
    hookTimeout: 900_000,
    isolate: true,
  },
});
