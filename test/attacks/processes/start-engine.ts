import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { EngineSettings, Rename } from './engine-process.ts';

const HOOK = fileURLToPath(new URL('../../webhooks/processes/typescript-hook.js', import.meta.url));
const PROGRAM = `
  import { main } from ${JSON.stringify(new URL('engine-process.ts', import.meta.url).href)};
  await main(process.argv[1]);
`;

export interface EngineProcess {
  readonly said: readonly string[];
  rename(order: Rename): void;
  /** Resolves when it is gone. */
  kill(): Promise<void>;
  /** Stops it in its tracks, or lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
}

/** Starts an engine in a process of its own; resolves when it works. */
export async function startEngine(settings: EngineSettings): Promise<EngineProcess> {
  const flags = ['--conditions=kalends-source', '--import', HOOK, '--input-type=module', '--eval', PROGRAM];
  const child = spawn(process.execPath, [...flags, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const said: string[] = [];
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      said.push(line);
      if (line.startsWith('ready')) resolve();
    });
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  await Promise.race([
    ready,
    ended.then(() => {
      throw new Error(`The process of an engine ended: ${said.join('\n')}`);
    }),
  ]);
  return {
    said,
    rename: (order) => void child.stdin.write(`${JSON.stringify(order)}\n`),
    kill,
    signal: (name) => void child.kill(name),
  };
}
