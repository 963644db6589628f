import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Job } from './job.ts';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

export interface Worker {
  readonly process: ChildProcess;
  /** Resolves when it has ended, by itself or killed. */
  readonly ended: Promise<void>;
  /** Its standard error, and its exit if that was an error. */
  readonly complaints: readonly string[];
}

/** Starts a process on the sources. `changed` is called for each change that it has committed. */
export function startWorker(job: Job, changed: (calendar: number, at: number) => void): Worker {
  const flags = ['--conditions=kalends-source', '--import', pathOf('./typescript-hook.js')];
  const child = spawn(process.execPath, [...flags, pathOf('./worker.ts'), JSON.stringify(job)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const complaints: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [calendar, at] = line.split(' ').map(Number);
    changed(calendar ?? Number.NaN, at ?? Number.NaN);
  });
  createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line));
  const ended = new Promise<void>((resolve) => {
    child.on('close', (code) => {
      if (code !== 0 && code !== null) complaints.push(`ended with ${code}`);
      resolve();
    });
  });
  return { process: child, ended, complaints };
}
