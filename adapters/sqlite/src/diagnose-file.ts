import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Finding } from 'kalends/ports';
import { DeadlineError, systemClock, withDeadline, withJoinedSignals } from 'kalends/runtime';
import { checkPages } from './page-check.ts';

const MIB = 2 ** 20;
/** Below this, writes are about to fail: the write-ahead log alone may need it. */
const LEAST_FREE = 100 * MIB;
/** Below this, and below the size of the database, a copy or a VACUUM finds no space. */
const WANTED_FREE = 1_024 * MIB;
/** Rights of users who are neither the owner nor in the group. */
const OTHERS = 0o007;

/** Checks that a database file exists and can be read and written. @throws Error */
export async function reachFile(path: string): Promise<void> {
  await access(path, constants.F_OK).catch(() => {
    throw new Error(`there is no file ${path}`);
  });
  await access(path, constants.R_OK | constants.W_OK).catch(() => {
    throw new Error(`this user may not read and write ${path}`);
  });
}

/** Longest check of the pages: the other findings must not wait for a large file. */
const CHECK_MS = 8_000;

/** Examines a database file: the disk it is on, its permissions, and its pages, as far as that takes seconds. */
export async function diagnoseFile(path: string, signal: AbortSignal): Promise<readonly Finding[]> {
  const [disk, permissions] = await Promise.all([checkDisk(path), checkPermissions(path)]);
  // Last: it opens the file, which makes others beside it.
  return [disk, permissions, await checkIntegrity(path, signal)];
}

async function checkDisk(path: string): Promise<Finding> {
  const check = 'disk';
  const [{ bavail, bsize }, { size }] = await Promise.all([statfs(dirname(path)), stat(path)]);
  const free = bavail * bsize;
  const message = `The disk of ${path} has ${inMebibytes(free)} free; the file has ${inMebibytes(size)}.`;
  const remedy =
    'Free space, or move the database to a larger disk: stop all processes, and copy the file with its -wal file.';
  if (free < LEAST_FREE) return { check, status: 'failed', message, remedy };
  if (free < Math.max(WANTED_FREE, size)) return { check, status: 'warning', message, remedy };
  return { check, status: 'ok', message, remedy: null };
}

const inMebibytes = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;

async function checkPermissions(path: string): Promise<Finding> {
  const check = 'permissions';
  // Windows has no such rights.
  if (process.platform === 'win32') {
    return { check, status: 'skipped', message: 'Permissions are not checked on Windows.', remedy: null };
  }
  const isOpen = async (each: string) => ((await stat(each).catch(() => undefined))?.mode ?? 0) & OTHERS;
  const open: string[] = [];
  const folder = dirname(path);
  // In a closed folder, the rights of files open nothing.
  if (await isOpen(folder)) {
    open.push(`chmod 700 '${folder}'`);
    for (const each of [path, `${path}-wal`, `${path}-shm`]) if (await isOpen(each)) open.push(`chmod 600 '${each}'`);
  }
  if (open.length === 0) {
    const message = "Other users of the machine cannot open the database's files and folder.";
    return { check, status: 'ok', message, remedy: null };
  }
  const message = `Other users of the machine can open the database's files or folder: they hold calendars.`;
  return { check, status: 'warning', message, remedy: `Run: ${open.join(' && ')}` };
}

async function checkIntegrity(path: string, signal: AbortSignal): Promise<Finding> {
  const check = 'integrity';
  try {
    const damage = await withDeadline(systemClock, CHECK_MS, (deadline) =>
      withJoinedSignals([deadline, signal], (either) => checkPages(path, either)),
    );
    if (damage.length === 0) {
      return { check, status: 'ok', message: `The pages of ${path} are sound.`, remedy: null };
    }
    const remedy = 'Stop all processes and restore a backup: see "Health" in docs/operating.md.';
    return { check, status: 'failed', message: `The file ${path} is damaged: ${damage.join('; ')}`, remedy };
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    const message =
      'The file is too large to be checked in seconds. Each process checks it after its start, and logs damage.';
    return { check, status: 'skipped', message, remedy: null };
  }
}
