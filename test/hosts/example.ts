import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ENVIRONMENT, runCommand, timed } from './run-command.ts';

const EXAMPLES = fileURLToPath(new URL('../../docs/examples', import.meta.url));
const INSTALL = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--no-package-lock'];

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** An example in a folder of its own, installed from packed packages. */
export interface InstalledExample {
  readonly folder: string;
  remove(): void;
}

export interface InstallOptions {
  /** Versions in place of those of the example, or beside them. */
  readonly versions?: Readonly<Record<string, string>> | undefined;
  /** @default true */
  readonly checksTypes?: boolean | undefined;
}

/** Copies an example, installs it with the packed packages, checks its types and builds it. */
export async function installExample(
  name: string,
  tarballs: Readonly<Record<string, string>>,
  { versions = {}, checksTypes = true }: InstallOptions = {},
): Promise<InstalledExample> {
  const folder = mkdtempSync(join(tmpdir(), `kalends-${name}-`));
  cpSync(join(EXAMPLES, name), folder, { recursive: true });
  const path = join(folder, 'package.json');
  const manifest: Manifest = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify(withTarballs(manifest, tarballs, versions)));
  await timed(`${name}: install`, () => runCommand(folder, 'npm', ...INSTALL));
  if (checksTypes) await timed(`${name}: types`, () => runCommand(folder, 'npm', 'run', 'check', '--if-present'));
  await timed(`${name}: build`, () => runCommand(folder, 'npm', 'run', 'build', '--if-present'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Returns the manifest with tarballs in place of versions. Overrides hold for what the packages need themselves. */
function withTarballs(
  manifest: Manifest,
  tarballs: Readonly<Record<string, string>>,
  versions: Readonly<Record<string, string>>,
) {
  const files = Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`] as const);
  const isDirect = (name: string) => manifest.dependencies?.[name] !== undefined;
  return {
    ...manifest,
    dependencies: {
      ...manifest.dependencies,
      ...versions,
      ...Object.fromEntries(files.filter(([name]) => isDirect(name))),
    },
    overrides: Object.fromEntries(files.filter(([name]) => !isDirect(name))),
  };
}

/** A started example. */
export interface RunningExample {
  /** Ends it as an operator does. Resolves with false when it had to be killed after 20 seconds. */
  stop(): Promise<boolean>;
}

/** Starts an example, and resolves once `url` answers. @throws Error with its output when it ends before */
export async function startExample(
  folder: string,
  env: Readonly<Record<string, string>>,
  url: string,
  [command, ...args]: readonly [string, ...string[]] = ['npm', 'start'],
): Promise<RunningExample> {
  // A process group of its own: npm and next run the server in a child, which has to get the signal as well.
  const child = spawn(command, args, { cwd: folder, env: { ...ENVIRONMENT, ...env }, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const stop = async () => {
    let isKilled = false;
    signal(child, 'SIGTERM');
    const deadline = setTimeout(() => {
      isKilled = true;
      signal(child, 'SIGKILL');
    }, 20_000);
    await ended;
    clearTimeout(deadline);
    return !isKilled;
  };
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}:\n${output}`);
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return { stop };
    await wait(100);
  }
  await stop();
  throw new Error(`${url} does not answer:\n${output}`);
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, name);
}
