import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

export interface BackgroundProcess {
  /** Resolves with the match once the process has printed it. @throws Error with all that it printed when it ends before */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** All that it has printed so far. */
  readonly output: () => string;
  /** Resolves with the exit code, null when a signal ended it. */
  readonly end: Promise<number | null>;
  /** Sends SIGTERM; resolves with the same. */
  stop(): Promise<number | null>;
}

interface Options {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a command, in a process group of its own that ends with the test. */
export function startProcess(
  command: string,
  args: readonly string[],
  { folder, environment = {} }: Options,
): BackgroundProcess {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const end = once(child, 'close').then(([code]) => code as number | null);
  onTestFinished(async () => {
    signalGroup(child, 'SIGKILL');
    await end;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return {
    end,
    output: () => output,
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(output);
        if (match !== null) return match;
        const more = Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')]);
        const isEnd = await Promise.race([more.then(() => false), end.then(() => true)]);
        if (isEnd && !pattern.test(output)) {
          throw new Error(`${command} ${args.join(' ')} ended without ${pattern}:\n${output}`);
        }
      }
    },
    async stop() {
      child.kill('SIGTERM');
      return await end;
    },
  };
}

function signalGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  process.kill(-pid, signal);
}
