import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The saved state of a sandbox: one text, replaced as a whole. */
export interface SandboxState {
  /** The text last saved; undefined when there is none yet. */
  load(): string | undefined;
  /** Replaces the text; a reader never sees half of it. */
  save(text: string): void;
}

/** Keeps the state in one file, replaced by an atomic rename; creates its folder. */
export function fileState(path: string): SandboxState {
  return {
    load() {
      try {
        return readFileSync(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    save(text) {
      mkdirSync(dirname(path), { recursive: true });
      const next = `${path}.next`;
      writeFileSync(next, text);
      renameSync(next, path);
    },
  };
}
