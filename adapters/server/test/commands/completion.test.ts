import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminInterface } from '@kalends/http/administration';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from './run-command.ts';

let folder: string;
let script: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kalends-completion-'));
  const { code, stdout, stderr } = await runCommand(['completion', 'bash']);
  expect([code, stderr]).toEqual([0, '']);
  script = join(folder, 'kalends.bash');
  writeFileSync(script, stdout);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Asks a real bash what it offers for the last word of a command line, split as bash splits it. */
function offered(words: readonly string[]): readonly string[] {
  const driver = `source "$0"
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_kalends
((\${#COMPREPLY[@]})) && printf '%s\\n' "\${COMPREPLY[@]}"
complete -p kalends`;
  const printed = execFileSync('bash', ['--norc', '-c', driver, script, ...words], { cwd: folder, encoding: 'utf8' });
  const lines = printed.trimEnd().split('\n');
  expect(lines.pop()).toBe('complete -F _kalends kalends');
  return lines;
}

it.each([
  [['kalends', 'ap'], ['app']],
  [['kalends', 'st'], ['start']],
  [['kalends', 'app', 're'], ['remove-redirect-url']],
  [['kalends', 'help', 'acc'], ['account']],
  [['kalends', 'help', 'account', 'h'], ['health']],
  [
    ['kalends', 'completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['kalends', 'app', 'create', '--n'], ['--name']],
  [['kalends', 'key', 'create', '--app', 'app_1', '--re'], ['--read-only']],
  [['kalends', 'key', 'create', '--no'], ['--no-can-read-credentials']],
  [
    ['kalends', 'account', 'list', '--status-filter', ''],
    ['active', 'expired'],
  ],
  [['kalends', 'account', 'list', '--status-filter', '=', 'ex'], ['expired']],
  [['kalends', 'migrate', '--pri'], ['--print']],
  [['kalends', 'start', '--providers'], ['--providers-url']],
  [['kalends', 'app', 'update', 'app_1', '--body', 'kal'], ['kalends.bash']],
  [['kalends', 'nothing', ''], []],
])('bash offers for %j', (words, expected) => {
  expect(offered(words)).toEqual(expected);
});

it('bash offers every command and every flag of the administration', async () => {
  for (const { command } of adminInterface.routes) {
    const words = command.words.split(' ');
    expect(offered(['kalends', ...words.slice(0, -1), words.at(-1) ?? ''])).toContain(words.at(-1));
    const { stdout } = await runCommand([...words, '--help']);
    const flags = [...stdout.matchAll(/ {2}(--[a-z-]+)/g)].map(([, flag]) => flag);
    expect([...offered(['kalends', ...words, '--'])].sort()).toEqual([...flags, '--help'].sort());
  }
});

it.each(['zsh', 'fish'])('%s gets the same words and flags', async (shell) => {
  const { code, stdout } = await runCommand(['completion', shell]);
  expect(code).toBe(0);
  for (const { command } of adminInterface.routes) expect(stdout).toContain(command.words);
  for (const flag of ['redirect-url', 'no-can-read-credentials', 'token-stdin', 'providers-url', 'print']) {
    expect(stdout).toContain(flag);
  }
});
