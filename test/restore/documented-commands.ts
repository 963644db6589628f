import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8');

export type Step = 'Back up' | 'Restore';

/** Returns the commands that docs/operating.md gives for a step, exactly as they stand there. */
export function documentedCommands(step: Step, database: 'SQLite' | 'PostgreSQL'): string {
  const pattern = new RegExp(
    `^\\*\\*${step} ${database}\\*\\*[^\`]*(?:\`[^\`\\n]+\`[^\`]*)*?\\n\`\`\`sh\\n([^]*?)\`\`\``,
    'm',
  );
  const commands = pattern.exec(PAGE)?.[1];
  if (commands === undefined) throw new Error(`docs/operating.md does not say how to do: ${step} ${database}`);
  return commands;
}

/** Makes a command `kalends` of the sources in a folder, and returns the folder for the PATH. */
function commandFolder(folder: string): string {
  const path = join(folder, 'bin');
  mkdirSync(path, { recursive: true });
  const run = join(ROOT, 'adapters/postgres/test/server/run-source.js');
  const program = join(ROOT, 'test/restore/kalends-process.ts');
  writeFileSync(join(path, 'kalends'), `#!/bin/sh\nexec '${process.execPath}' '${run}' '${program}' "$@"\n`);
  chmodSync(join(path, 'kalends'), 0o755);
  return path;
}

/** Runs commands in a folder as an operator's shell does; a command that fails ends them. Resolves with what they print. */
export async function runCommands(
  commands: string,
  folder: string,
  environment: Readonly<Record<string, string>>,
  programs: readonly string[] = [],
): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { HOME, ...environment, PATH: [commandFolder(folder), ...programs, PATH].join(delimiter) };
  const { stdout } = await promisify(execFile)('sh', ['-e', '-u', '-c', commands], { cwd: folder, env });
  return stdout;
}
