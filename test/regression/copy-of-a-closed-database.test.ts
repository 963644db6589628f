import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@kalends/sqlite';
import { expect, it, onTestFinished } from 'vitest';

it('a copy of the database file alone, made after it was closed, has everything', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-copy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const storage = sqlite({ path: join(folder, 'kalends.db') });
  await storage.open();
  const application = { id: 'app_1', name: 'Shop', redirectUrls: [], createdAt: 1, updatedAt: 1, deletedAt: null };
  await storage.applications.create(application);
  await storage.close();
  copyFileSync(join(folder, 'kalends.db'), join(folder, 'copy.db'));
  const copy = sqlite({ path: join(folder, 'copy.db') });
  onTestFinished(() => copy.close());
  expect((await copy.health.schema()).missing).toEqual([]);
  expect(await copy.applications.find('app_1')).toEqual(application);
});
