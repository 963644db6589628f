import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Runs commands as they stand in a document, in a shell; a command that fails ends them. Resolves with standard output.
 * @throws Error with all that was printed when a command fails
 */
export async function runShell(
  commands: string,
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, ...environment }, maxBuffer: 2 ** 26 };
  const { stdout } = await promisify(execFile)('bash', ['-e', '-u', '-c', commands], options);
  return stdout;
}
