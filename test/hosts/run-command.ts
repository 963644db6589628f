import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Environment of the commands of examples: without the settings of the test runner, which would reach `next build`. */
export const ENVIRONMENT: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:NODE_|VITE|npm_|PORT$|TEST$|DEV$|PROD$|MODE$)/.test(name)),
  ),
  NODE_ENV: undefined,
  NEXT_TELEMETRY_DISABLED: '1',
};

/** Runs a command to its end and returns what it printed. A failure shows both of its outputs. */
export async function runCommand(folder: string, command: string, ...args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await execute(command, args, { cwd: folder, env: ENVIRONMENT, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${[command, ...args].join(' ')} failed in ${folder}:\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** Runs a step and prints how long it took. */
export async function timed<Result>(step: string, run: () => Promise<Result>): Promise<Result> {
  const begin = performance.now();
  const result = await run();
  console.info(`${step}: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  return result;
}
