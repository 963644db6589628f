import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FleetSettings } from './engine-process.ts';

export interface EngineProcess {
  /** Where it serves the interface. */
  readonly url: string;
  /** Kills it, whatever it is doing; resolves when it is gone. */
  kill(): Promise<void>;
}

const HOOK = fileURLToPath(new URL('../../../../test/webhooks/processes/typescript-hook.js', import.meta.url));
const ENGINE = new URL('engine-process.ts', import.meta.url).href;

/** Times that a process is started again that could not begin its work, as while the server is away. */
const STARTS = 20;

/**
 * Starts an engine in a process of its own; resolves when it works. What it has to complain of is on our error output.
 * @param program address of the module whose `main` is called with the settings
 */
export async function startEngineProcess(settings: FleetSettings, program = ENGINE): Promise<EngineProcess> {
  for (let attempt = 1; attempt <= STARTS; attempt += 1) {
    const started = await tryToStart(settings, program);
    if (started !== undefined) return started;
  }
  throw new Error('The process of an engine does not start');
}

async function tryToStart(settings: FleetSettings, program: string): Promise<EngineProcess | undefined> {
  const text = `import { main } from ${JSON.stringify(program)}; await main(process.argv[1]);`;
  const flags = ['--conditions=kalends-source', '--import', HOOK, '--input-type=module', '--eval', text];
  const child = spawn(process.execPath, [...flags, JSON.stringify(settings)], {
    // Held open: with us ends the process, whatever has become of the test.
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const line = await Promise.race([once(child.stdout, 'data').then(String), ended.then(() => undefined)]);
  if (line === undefined) return undefined;
  return {
    url: line.trim(),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
