import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storageConformance } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import { afterAll, describe, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'kalends-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true }));

// The races of the suite within one handle, which shares transactions among the calls of a turn.
describe('in memory', () => {
  storageConformance({ test, createStorage: async (clock) => sqlite({ path: ':memory:', clock }) });
});

describe('in a file', () => {
  let files = 0;
  storageConformance({
    test,
    createStorage: async (clock) => {
      files += 1;
      return sqlite({ path: join(folder, `${files}.db`), clock });
    },
  });
});
