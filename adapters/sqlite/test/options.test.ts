import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@kalends/sqlite';
import { expect, it, onTestFinished } from 'vitest';

it.each([
  ['path', undefined, 'must name a file, or be :memory:'],
  ['path', 'kalends.db', 'must name a file, or be :memory:'],
  ['path', {}, 'must name a file, or be :memory:'],
  ['path', { path: 5 }, 'must name a file, or be :memory:'],
  ['file', { file: 'x' }, 'is not an option; the options are path, clock, logger, prefix'],
  ['clock', { path: ':memory:', clock: {} }, 'must be an object with the functions now, sleep'],
  [
    'logger',
    { path: ':memory:', logger: { ...console, bindings() {} } },
    'must take the message before the fields; wrap this one in fieldsFirst of kalends',
  ],
])('%s: %j is refused', (path, options, rule) => {
  expect(() => sqlite(options as never)).toThrow(
    expect.objectContaining({
      code: 'InvalidRequest',
      message: `${path}: ${rule}`,
      details: [{ path, message: rule }],
    }),
  );
});

it.each([
  ['in a folder that does not exist', (folder: string) => join(folder, 'none', 'kalends.db')],
  ['that is a folder', (folder: string) => folder],
  [
    'that is no database',
    (folder: string) => {
      const path = join(folder, 'kalends.db');
      writeFileSync(path, 'not a database'.repeat(100));
      return path;
    },
  ],
])('open() names a file %s', async (_, create) => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-open-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = create(folder);
  const storage = sqlite({ path });
  const failure = await storage.open().then(
    () => undefined,
    (error: unknown) => error,
  );
  await storage.close();
  expect(failure).toMatchObject({ message: expect.stringContaining(path) });
});
