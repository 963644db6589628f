import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding, Storage } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sqlite } from '../src/sqlite.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kalends-diagnosis-'));
  path = join(folder, 'kalends.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function findingsOf(storage: Storage): Promise<Readonly<Record<string, Finding>>> {
  const findings = await storage.health.diagnose(new AbortController().signal);
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
}

async function makeDatabase(): Promise<void> {
  const storage = sqlite({ path });
  await storage.open();
  await storage.close();
}

test('a file that does not exist is not reached, and is not made', async () => {
  const storage = sqlite({ path });
  await expect(storage.health.reach()).rejects.toThrow(`there is no file ${path}`);
  expect(existsSync(path)).toBe(false);
  await storage.close();
});

test('a sound file of its owner alone has nothing to mend', async () => {
  await makeDatabase();
  chmodSync(folder, 0o700);
  for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o600);
  const storage = sqlite({ path });
  await storage.health.reach();
  const { integrity, permissions, disk } = await findingsOf(storage);
  expect([integrity?.status, permissions?.status]).toEqual(['ok', 'ok']);
  expect(disk?.message).toContain('MiB free');
  await storage.close();
});

test('files and folders that other users may open are named with the command that closes them', async () => {
  await makeDatabase();
  // Whether the files beside it outlive the last connection depends on which one is closed last.
  const open = sqlite({ path });
  await open.open();
  chmodSync(folder, 0o755);
  chmodSync(path, 0o604);
  const storage = sqlite({ path });
  const { permissions } = await findingsOf(storage);
  expect(permissions?.status).toBe('warning');
  const files = [folder, path, `${path}-wal`, `${path}-shm`];
  const commands = files.map((file, index) => `chmod ${index === 0 ? 700 : 600} '${file}'`);
  expect(permissions?.remedy).toBe(`Run: ${commands.join(' && ')}`);
  await storage.close();
  await open.close();
});

test('files in a folder that others cannot enter are closed, whatever their own rights are', async () => {
  await makeDatabase();
  chmodSync(folder, 0o700);
  chmodSync(path, 0o644);
  const storage = sqlite({ path });
  const { permissions } = await findingsOf(storage);
  expect(permissions?.status).toBe('ok');
  await storage.close();
});

test('damaged pages are a failure', async () => {
  await makeDatabase();
  const file = openSync(path, 'r+');
  // Every page but the first, which names the tables.
  writeSync(file, Buffer.alloc(statSync(path).size - 8_192, 0xa5), 0, null, 8_192);
  closeSync(file);
  const storage = sqlite({ path });
  const { integrity } = await findingsOf(storage);
  expect(integrity?.status).toBe('failed');
  expect(integrity?.remedy).toContain('restore a backup');
  await storage.close();
});
