import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes a file that appears when it is whole: one of that name stays as it was until then. Devices and pipes are written directly. */
export async function writeWhole(file: string, text: AsyncIterable<string>): Promise<void> {
  const present = await stat(file).catch(() => undefined);
  if (present !== undefined && !present.isFile()) {
    await pipeline(Readable.from(text), createWriteStream(file));
    return;
  }
  // Of a link the file that it names is replaced.
  const target = present === undefined ? file : await realpath(file);
  const part = `${target}.${process.pid}.part`;
  try {
    await pipeline(Readable.from(text), createWriteStream(part, { flags: 'wx', mode: present?.mode ?? 0o666 }));
    await rename(part, target);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
