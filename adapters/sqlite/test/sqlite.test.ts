import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@kalends/sqlite';
import { type StorageConformanceOptions, storageConformance } from 'kalends/conformance';
import type { Storage } from 'kalends/ports';
import { afterAll, describe, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'kalends-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true }));

const paths = new WeakMap<Storage, string>();
let files = 0;
const createInFile: StorageConformanceOptions['createStorage'] = async (clock) => {
  files += 1;
  const path = join(folder, `${files}.db`);
  const storage = sqlite({ path, clock });
  paths.set(storage, path);
  return storage;
};

describe('in memory', () => {
  storageConformance({ test, createStorage: async (clock) => sqlite({ path: ':memory:', clock }) });
});

describe('in a file', () => {
  storageConformance({ test, createStorage: createInFile });
});

describe('in a file that two processes have open', () => {
  storageConformance({
    test,
    createStorage: createInFile,
    createPeer: async (storage, clock) => sqlite({ path: paths.get(storage) ?? '', clock }),
  });
});
