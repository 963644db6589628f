import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import base, { LONG_SUITES } from '../vitest.config.ts';

const root = new URL('..', import.meta.url).pathname;

/** Returns the test files that ask `sizeOf` how much to play: a little in `npm test`, and much here. */
function sizedFiles(): readonly string[] {
  return ['test', 'adapters']
    .flatMap((folder) =>
      readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    .filter((path) => path.endsWith('.test.ts') && !/(^|\/)(node_modules|dist)\//.test(path))
    .filter((path) => readFileSync(`${root}${path}`, 'utf8').includes("/size-of.ts'"));
}

/** The suites that take minutes, attacks among them, and what has sizes: `npm run test:long`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    root,
    include: [...LONG_SUITES, ...sizedFiles()],
    exclude: ['**/node_modules/**', '**/dist/**'],
    provide: { isLong: true },
    testTimeout: 900_000,
    hookTimeout: 120_000,
  },
});
