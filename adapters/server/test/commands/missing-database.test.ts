import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { runCommand } from './run-command.ts';
import { withoutSettings } from './without-settings.ts';

const PLACE = ['--app', 'app_1', '--account', 'acc_1', '--calendar', 'cal_1'];

/** Sets the settings of a SQLite file that does not exist; returns its path. */
function configure(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-missing-'));
  const path = join(folder, 'kalends.db');
  withoutSettings();
  vi.stubEnv('KALENDS_DATABASE_URL', `sqlite:${path}`);
  vi.stubEnv('KALENDS_SECRET', Buffer.alloc(32, 5).toString('base64'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  return path;
}

it.each([
  [['erase', '--verify', '--account', 'acc_1']],
  [['rewrap']],
  [['restored']],
  [['export', ...PLACE]],
])('%j refuses a database that does not exist, and does not make it', async (args) => {
  const path = configure();
  const result = await runCommand(args);
  expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`there is no file ${path}`) });
  expect(existsSync(path)).toBe(false);
});

it('refuses a database without tables of kalends, and leaves it so', async () => {
  const path = configure();
  writeFileSync(path, '');
  for (const args of [['erase', '--verify', '--account', 'acc_1'], ['rewrap'], ['restored']]) {
    const result = await runCommand(args);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain(`sqlite:${path} has no tables of kalends: is it the right database?`);
  }
  expect((await runCommand(['migrate'])).stdout).toContain('is migrated from nothing to');
  expect((await runCommand(['rewrap'])).code).toBe(0);
});
