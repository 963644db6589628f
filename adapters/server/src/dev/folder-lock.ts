import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../command-error.ts';

/**
 * Locks a folder for this process, and returns the function that unlocks it: two servers would overwrite each other's
 * sandbox. Takes over the lock of a process that no longer runs.
 * @throws CommandError naming the process that holds the lock
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'dev.lock');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let attempt = 0; ; attempt += 1) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const holder = Number(readFileSync(path, 'utf8'));
      if (attempt > 0 || isAlive(holder)) {
        throw new CommandError(
          `another server (process ${holder}) already runs in ${folder}: stop it, or start this one from another working directory`,
          1,
        );
      }
      rmSync(path, { force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
