// Some peers ship a binary for each platform, and not every registry has them all: they stay out of the lock file.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function installPeers() {
  if (existsSync(new URL('node_modules/rrule-rust', import.meta.url))) return;
  console.log('Installing the libraries to compare with (once) …');
  execFileSync('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund', '--workspaces=false'], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
