import type { Random } from 'kalends/ports';
import { type Change, createContent, type FileContent, sectorsOf } from './file-content.ts';
import type { Entry } from './recording.ts';

/**
 * A disk that may lose all that was not synced, by the strictest reading of POSIX:
 * - a file's bytes and size are durable up to its last sync. Each later write, truncation and extension is kept or lost on its own, and a
 *   write is torn into sectors, each kept or lost;
 * - creations and removals of names are durable up to the last sync of the folder. Of each name any later state may be found, whatever is
 *   found of the others: journaling file systems keep an order here, POSIX promises none. A name that comes back has its old file.
 */
export interface Disk {
  apply(entry: Entry): void;
  /** Returns what may be found after a power cut now: every state if these are few, else as many at random. */
  survivors(random: Random, count: number): readonly Files[];
}

/** Contents by name. */
export type Files = ReadonlyMap<string, Buffer>;

interface File {
  readonly synced: FileContent;
  pending: Change[];
}

/** Decides what is found. */
interface Fate {
  /** Number from 0 up to `count`. */
  pick(count: number): number;
  isKept(): boolean;
  isTorn(): boolean;
}

/** The wal-index is rebuilt after a crash; SQLite never syncs it. */
const isOnDisk = (name: string) => !name.endsWith('-shm');
const MOST_EXHAUSTIVE = 32;

export function createDisk(): Disk {
  const files = new Map<string, File>();
  /** Of each name all that may be found: the synced state first. */
  const names = new Map<string, (File | undefined)[]>();
  const nameBecomes = (name: string, file: File | undefined) => {
    if (!isOnDisk(name)) return;
    const states = names.get(name) ?? [undefined];
    names.set(name, [...states, file]);
  };
  const find = ({ file }: Entry) => {
    const found = files.get(file);
    if (found === undefined) throw new Error(`No file ${file} has been created`);
    return found;
  };
  return {
    apply(entry) {
      switch (entry.kind) {
        case 'C': {
          const file: File = { synced: createContent(), pending: [] };
          files.set(entry.file, file);
          return nameBecomes(entry.bytes.toString(), file);
        }
        case 'U':
          return nameBecomes(entry.bytes.toString(), undefined);
        case 'D':
          for (const [name, states] of names) names.set(name, states.slice(-1));
          return;
        case 'W':
          find(entry).pending.push(entry);
          return;
        case 'T':
          find(entry).pending.push({ size: entry.offset });
          return;
        case 'S': {
          const file = find(entry);
          for (const change of file.pending) file.synced.change(change);
          file.pending = [];
        }
      }
    },
    survivors(random, count) {
      const choices = [...names.values()].map((states) => states.length);
      const pending = new Set([...names.values()].flat());
      for (const file of pending) if (file !== undefined) choices.push(...file.pending.map(() => 2));
      const states = choices.reduce((product, choice) => product * choice, 1);
      const fates =
        states <= MOST_EXHAUSTIVE
          ? [...Array.from({ length: states }, (_, index) => oneOfAll(index)), ...someFates(random, 2)]
          : [ALL_KEPT, NONE_KEPT, ...someFates(random, count - 2)];
      return fates.map((fate) => findAfter(names, fate, random));
    },
  };
}

const ALL_KEPT: Fate = { pick: (count) => count - 1, isKept: () => true, isTorn: () => false };
const NONE_KEPT: Fate = { pick: () => 0, isKept: () => false, isTorn: () => false };

/** The fate of this number, when all choices are counted through. */
function oneOfAll(index: number): Fate {
  let rest = index;
  const pick = (count: number) => {
    const picked = rest % count;
    rest = Math.floor(rest / count);
    return picked;
  };
  return { pick, isKept: () => pick(2) === 1, isTorn: () => false };
}

function someFates(random: Random, count: number): readonly Fate[] {
  return Array.from({ length: count }, (_, index) => {
    const share = [0.1, 0.5, 0.9][index % 3]!;
    return {
      pick: (most) => Math.floor(random.fraction() * most),
      isKept: () => random.fraction() < share,
      isTorn: () => random.fraction() < 0.3,
    };
  });
}

function findAfter(names: ReadonlyMap<string, readonly (File | undefined)[]>, fate: Fate, random: Random): Files {
  const found = new Map<string, Buffer>();
  const contents = new Map<File, Buffer>();
  for (const [name, states] of names) {
    const file = states[fate.pick(states.length)];
    if (file === undefined) continue;
    const content = contents.get(file) ?? contentAfter(file, fate, random);
    contents.set(file, content);
    found.set(name, content);
  }
  return found;
}

function contentAfter(file: File, fate: Fate, random: Random): Buffer {
  const content = file.synced.copy();
  for (const change of file.pending) {
    const parts = 'bytes' in change && fate.isTorn() ? sectorsOf(change) : undefined;
    if (parts !== undefined) for (const part of parts.filter(() => random.fraction() < 0.5)) content.change(part);
    else if (fate.isKept()) content.change(change);
  }
  return content.bytes();
}
