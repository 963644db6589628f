import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { writeWhole } from '../../src/admin/write-whole.ts';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const HOOK = pathOf('../../../../test/webhooks/processes/typescript-hook.js');
const KALENDS = ['--conditions=kalends-source', '--import', HOOK, pathOf('../../src/cli.ts')];

async function* texts(...parts: readonly (string | Error)[]) {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield part;
  }
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-write-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('a file is replaced when it is whole, and stays as it was when a write fails', async () => {
  const folder = temporaryFolder();
  const [file, link] = [join(folder, 'ada.ics'), join(folder, 'link.ics')];
  writeFileSync(file, 'before');
  symlinkSync(file, link);
  await expect(writeWhole(file, texts('half', new Error('no space')))).rejects.toThrow('no space');
  expect(readFileSync(file, 'utf8')).toBe('before');
  expect(readdirSync(folder)).toEqual(['ada.ics', 'link.ics']);
  await writeWhole(link, texts('one', 'two'));
  expect(readFileSync(file, 'utf8')).toBe('onetwo');
  await writeWhole(join(folder, 'new.ics'), texts('new'));
  expect(readFileSync(join(folder, 'new.ics'), 'utf8')).toBe('new');
  expect(readdirSync(folder)).toEqual(['ada.ics', 'link.ics', 'new.ics']);
  await writeWhole('/dev/null', texts('x'));
  expect(existsSync('/dev/null')).toBe(true);
});

it('a file that is replaced keeps its mode, and a link its place', async () => {
  const folder = temporaryFolder();
  const [file, link] = [join(folder, 'ada.ics'), join(folder, 'link.ics')];
  writeFileSync(file, 'before');
  chmodSync(file, 0o666);
  await writeWhole(file, texts('after'));
  expect(statSync(file).mode & 0o777).toBe(0o666);
  symlinkSync(join(folder, 'later.ics'), link);
  await writeWhole(link, texts('later'));
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(folder, 'later.ics'), 'utf8')).toBe('later');
});

it('a file whose name leaves no room for another beside it is written in its place', async () => {
  const file = join(temporaryFolder(), `${'n'.repeat(250)}.ics`);
  await writeWhole(file, texts('one'));
  await writeWhole(file, texts('two'));
  expect(readFileSync(file, 'utf8')).toBe('two');
});

it('two writes of one file do not disturb each other', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'ada.ics');
  async function* interrupted() {
    yield 'first';
    await writeWhole(file, texts('second'));
    expect(readFileSync(file, 'utf8')).toBe('second');
  }
  await writeWhole(file, interrupted());
  expect(readFileSync(file, 'utf8')).toBe('first');
  expect(readdirSync(folder)).toEqual(['ada.ics']);
});

it('standard output that cannot be written is one line on standard error', () => {
  const args = ['expand', '--dtstart', '2026-01-05', '--rule', 'FREQ=DAILY;COUNT=1'];
  const { status, stderr } = spawnSync(process.execPath, [...KALENDS, ...args], {
    stdio: ['ignore', openSync(HOOK, 'r'), 'pipe'],
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^kalends: cannot write to standard output: EBADF.*\n$/);
});

it('a failure that is no lack of room beside the file is told', async () => {
  const missing = join(temporaryFolder(), 'missing', 'ada.ics');
  await expect(writeWhole(missing, texts('one'))).rejects.toThrow('ENOENT');
});
