import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import base from '../../vitest.config.ts';
import { sourcesToMutate } from './mutated-sources.js';

const root = new URL('../..', import.meta.url).pathname;

/** Fast tests of these modules. */
const TESTS = [
  'test/mirror/*.test.ts',
  'test/pull/*.test.ts',
  'test/events/{list,read,write}/*.test.ts',
  'test/events/series-edit/scopes.test.ts',
  'test/calendars/*.test.ts',
  'test/channels/push-service.test.ts',
  'test/intents/{holds,lost-answers}.test.ts',
  'test/regression/*.test.ts',
  'test/telemetry/*.test.ts',
  'adapters/sql/test/**/*.test.ts',
  'adapters/sqlite/test/mirror-model.test.ts',
  'test/mutants/storage-in-memory.ts',
];

const sources = sourcesToMutate(root);

/** Files are played in the order in which they are given. */
class GivenOrder extends BaseSequencer {
  override async sort<File>(files: File[]): Promise<File[]> {
    return files;
  }
}

export default defineConfig({
  ...base,
  plugins: [{ name: 'mutants', enforce: 'pre', transform: (_code, id) => sources.get(id)?.text }],
  test: {
    ...base.test,
    root,
    include: TESTS,
    exclude: ['**/node_modules/**'],
    runner: `${root}test/mutants/mutant-runner.ts`,
    sequence: { sequencer: GivenOrder },
    // Each storage's statements are the same text but for a few words.
    testNamePattern: /^(?!.*postgres)/,
    provide: { sizes: { runs: 20 } },
    maxWorkers: 1,
    reporters: [{}],
  },
});
