import { createReadStream, createWriteStream, type Stats } from 'node:fs';
import { chmod, chown, lstat, mkdtemp, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Failures by which a file can still be written, though none beside it, nor another in its place. */
const NO_ROOM: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG', 'EBUSY', 'EXDEV']);

/** Any other failure, such as a full disk, must not cost the file that is there. */
function unlessNoRoom(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && NO_ROOM.has(error.code))) throw error;
}

/**
 * Writes a file that appears when it is whole: one of that name stays as it was until then, and its mode and owner are kept. A name at
 * which there is no such room (a device, a pipe, a file in a folder that cannot be written) is written directly.
 */
export async function writeWhole(file: string, text: AsyncIterable<string>): Promise<void> {
  // Of a link the file that it names is replaced.
  const target = await realpath(file).catch(() => file);
  const present = await stat(target).catch(() => undefined);
  const folder = (await isReplaceable(target, present)) ? await mkdtemp(`${target}.`).catch(unlessNoRoom) : undefined;
  if (folder === undefined) {
    await pipeline(Readable.from(text), createWriteStream(target));
    return;
  }
  const whole = join(folder, 'whole');
  try {
    await pipeline(Readable.from(text), createWriteStream(whole, { mode: present?.mode ?? 0o666 }));
    await replace(target, present, whole);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A link whose file is not there yet is not: it would be replaced itself. */
async function isReplaceable(target: string, present: Stats | undefined): Promise<boolean> {
  return present === undefined ? (await lstat(target).catch(() => undefined)) === undefined : present.isFile();
}

async function replace(target: string, present: Stats | undefined, whole: string): Promise<void> {
  if (present === undefined) return rename(whole, target);
  try {
    const { uid, gid } = await stat(whole);
    if (uid !== present.uid || gid !== present.gid) await chown(whole, present.uid, present.gid);
    await chmod(whole, present.mode);
    await rename(whole, target);
  } catch (error) {
    // The file is mounted by itself, or is another user's.
    unlessNoRoom(error);
    await pipeline(createReadStream(whole), createWriteStream(target));
  }
}
