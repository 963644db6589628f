import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StorageConformanceOptions, storageConformance } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import type { Storage } from 'kalends/ports';
import { afterAll, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'kalends-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true }));

const paths = new WeakMap<Storage, string>();
let files = 0;
const createStorage: StorageConformanceOptions['createStorage'] = async (clock) => {
  files += 1;
  const path = join(folder, `${files}.db`);
  const storage = sqlite({ path, clock });
  paths.set(storage, path);
  return storage;
};

// Two processes that have one file open.
storageConformance({
  test,
  createStorage,
  createPeer: async (storage, clock) => sqlite({ path: paths.get(storage) ?? '', clock }),
});
