import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { namedWait } from './named-wait.ts';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** `kalends start` in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  /** Ends it in order. @throws when it ended otherwise */
  stop(): Promise<void>;
}

/** Starts a process with these settings; resolves when it serves. */
export async function startServerProcess(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const hook = pathOf('../../../../test/webhooks/processes/typescript-hook.js');
  const flags = ['--conditions=kalends-source', '--import', hook];
  const child = spawn(process.execPath, [...flags, pathOf('../processes/run-server.ts')], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const lines: string[] = [];
  const log = createInterface(child.stderr ?? process.stdin);
  const started = new Promise<string>((resolve) =>
    log.on('line', (line) => {
      lines.push(line);
      if (line.includes('"msg":"started"')) resolve(line);
    }),
  );
  const first = Promise.race([started, ended.then(() => undefined)]);
  const line = await namedWait(first, () => `the start of the server:\n${lines.join('\n')}`);
  if (line === undefined) throw new Error(`the server ended:\n${lines.join('\n')}`);
  return {
    url: `http://127.0.0.1:${(JSON.parse(line) as { readonly port: number }).port}`,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await namedWait(ended, () => `the end of the server:\n${lines.slice(-20).join('\n')}`);
      if (code !== 0) throw new Error(`the server ended with ${code}:\n${lines.slice(-20).join('\n')}`);
    },
  };
}
