/** A file call of a process: see `record-file-calls.c`. `P` stands for a saved state of the provider, numbered by `offset`. */
export interface Entry {
  readonly kind: 'C' | 'W' | 'T' | 'S' | 'U' | 'D' | 'P';
  /** Number of the file while it is open. A later file may have it again. */
  readonly file: string;
  readonly offset: number;
  readonly bytes: Buffer;
}

const NEWLINE = 10;

export function readRecording(log: Buffer): readonly Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < log.length; ) {
    const end = log.indexOf(NEWLINE, at);
    const line = log.toString('latin1', at, end === -1 ? log.length : end);
    const [, kind, file, offset, length] = /^([CWTSUDP]) (\d+) (\d+) (\d+)$/.exec(line) ?? [];
    if (end === -1 || kind === undefined)
      throw new Error(`The recording has no entry at byte ${at}: ${line.slice(0, 80)}`);
    const begin = end + 1;
    at = begin + Number(length);
    entries.push({ kind: kind as Entry['kind'], file: file!, offset: Number(offset), bytes: log.subarray(begin, at) });
  }
  return entries;
}

/** Text of the entry for a saved state of the provider. */
export const providerEntry = (index: number) => `P 0 ${index} 0\n`;
