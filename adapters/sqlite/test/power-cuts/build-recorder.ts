import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('record-file-calls.c', import.meta.url));

/** Compiles the library that records file calls into a folder; returns its path. @throws Error that says what to install */
export function buildRecorder(folder: string): string {
  if (process.platform !== 'linux') throw new Error('Power cuts are played on Linux only: the recorder is preloaded');
  const path = join(folder, 'record-file-calls.so');
  const { error, status, stderr } = spawnSync(
    'gcc',
    ['-shared', '-fPIC', '-O2', '-Wall', '-Werror', '-o', path, SOURCE, '-ldl', '-lpthread'],
    { encoding: 'utf8' },
  );
  if (error !== undefined) {
    throw new Error(`gcc does not start (${error.message}): install it (on Debian: apt-get install gcc libc6-dev)`);
  }
  if (status !== 0) throw new Error(`gcc failed; the headers of the C library are in libc6-dev on Debian:\n${stderr}`);
  return path;
}
