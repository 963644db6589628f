import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { sqlite } from '@kalends/sqlite';
import type { Storage } from 'kalends/ports';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runErase } from '../src/admin/erase-command.ts';
import { withoutSettings } from './commands/without-settings.ts';

let folder: string;
let storage: Storage;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kalends-'));
  const path = join(folder, 'kalends.db');
  withoutSettings();
  vi.stubEnv('KALENDS_DATABASE_URL', `sqlite:${path}`);
  vi.stubEnv('KALENDS_SECRET', Buffer.alloc(32, 5).toString('base64'));
  storage = sqlite({ path });
  await storage.open();
  const at = Date.now();
  const application = { id: 'app_1', name: 'Shop', redirectUrls: [], createdAt: at, updatedAt: at, deletedAt: null };
  await storage.applications.create(application);
  const account = {
    ...{ id: 'acc_1', applicationId: 'app_1', providerType: 'PROVIDER_A', providerConfigId: 'prv_1' },
    ...{ providerAccountId: 'sub', email: 'Jane@People.example', externalId: 'pupil-7', authorizedScopes: [] },
    ...{ createdAt: at, updatedAt: at },
    status: 'ACTIVE' as const,
  };
  const credential = {
    ...{ id: 'crd_1', applicationId: 'app_1', accountId: 'acc_1', wrappedKey: 'k', version: 1 },
    ...{ sealedAccessToken: 'a', sealedRefreshToken: 'r', expiresAt: at, createdAt: at, updatedAt: at },
    status: 'ACTIVE' as const,
    kind: 'oauth' as const,
  };
  await storage.accounts.save(account, credential);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await storage.close();
  await rm(folder, { recursive: true });
});

async function erase(...args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const code = await runErase(args, io);
  io.stdout.end();
  return { code, said: await text(io.stdout) };
}

it('finds a name with letters beyond ASCII in another case, composed or not', async () => {
  const [account, credential] = await Promise.all([
    storage.accounts.find('app_1', 'acc_1'),
    storage.accounts.findCredential('app_1', 'acc_1'),
  ]);
  await storage.accounts.save({ ...account!, externalId: 'Mesut Özil'.normalize('NFD') }, credential!);
  for (const name of ['Özil', 'özil', 'ÖZIL']) {
    const { code, said } = await erase('--verify', '--text', name.normalize('NFC'));
    expect(said).toContain('  kalends_account.external_id  1\n');
    expect(code).toBe(1);
  }
});

it('lists what is left of an account, by column, and exits with 1; with 0 once it is deleted', async () => {
  const person = ['--verify', '--account', 'acc_1', '--email', 'jane@people.example', '--text', 'PUPIL-7'];
  const before = await erase(...person);
  expect(before.code).toBe(1);
  expect(before.said).toContain('Something is left.\nleft:\n  kalends_account.id  1\n');
  for (const column of ['account.email', 'account.external_id', 'credential.account_id']) {
    expect(before.said).toContain(`  kalends_${column}  1\n`);
  }
  expect(before.said).toContain('sealed, not searched');

  await storage.accounts.delete('app_1', 'acc_1', undefined, () => ({
    ...{ id: 'aud_1', at: Date.now(), applicationId: 'app_1', actorId: null, address: null },
    actorType: 'system',
    ...{ action: 'account.deleted', target: 'acc_1', changed: [] },
  }));
  const after = await erase(...person);
  expect(after).toEqual({
    code: 0,
    said: "Nothing is left.\nkept for the audit log, the account's id alone:\n  kalends_audit_entry.target  1\n",
  });
  const { code, said } = await erase(...person, '--json');
  expect([code, JSON.parse(said).isErased]).toEqual([0, true]);
});

it('says so when an account is known nowhere', async () => {
  const { code, said } = await erase('--verify', '--account', 'acc_typo');
  expect(code).toBe(0);
  expect(said).toMatch(/^Nothing is left\.\n.*\nacc_typo is in no table, not even in the audit log.*\n$/s);
});

it('says what it needs', async () => {
  await expect(erase('--account', 'acc_1')).rejects.toThrow('--verify is required');
  await expect(erase('--verify')).rejects.toThrow('give --account, --email or --text');
  await expect(erase('--verify', '--text', 'x')).rejects.toThrow('must have at least 3 characters each');
});
