import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const LONGEST_START_MS = 30_000;

/** Folder and environment of a program. */
export interface ProgramOptions {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a program to its end and resolves with its output. @throws Error with both outputs of a program that fails */
export async function run(
  { folder, environment = {} }: ProgramOptions,
  program: string,
  ...words: readonly string[]
): Promise<string> {
  try {
    const env = { ...process.env, ...environment };
    const { stdout } = await promisify(execFile)(program, [...words], { cwd: folder, env });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${program} ${words.join(' ')} failed: ${stdout}${stderr}`, { cause: error });
  }
}

/** A program in the background, its output in a file of its folder. */
export interface Daemon {
  /** Resolves when an address answers, whatever it says. @throws Error with the end of its log when it ends or stays silent */
  answers(url: string): Promise<void>;
  /** Ends it and its children. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  readonly pid: number;
}

/** Starts a program in a process group of its own, which a guard ends with this process, however that ends. */
export async function start(
  { folder, environment = {} }: ProgramOptions,
  program: string,
  ...words: readonly string[]
): Promise<Daemon> {
  const log = join(folder, 'log');
  const output = openSync(log, 'a');
  const env = { ...process.env, ...environment };
  const child = spawn(program, [...words], { cwd: folder, env, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const guard = guardOf(pid);
  const tail = () => readFileSync(log, 'utf8').slice(-2_000);
  return {
    pid,
    async answers(url) {
      const giveUpAt = Date.now() + LONGEST_START_MS;
      while (!(await isAnswering(url))) {
        if (hasEnded(child)) throw new Error(`${program} has ended with ${child.exitCode}: ${tail()}`);
        if (Date.now() > giveUpAt) throw new Error(`${program} does not answer at ${url}: ${tail()}`);
        await sleep(50);
      }
    },
    async stop(signal = 'SIGTERM') {
      guard.stdin?.end();
      if (hasEnded(child)) return;
      const ended = once(child, 'exit');
      endGroup(pid, signal);
      await ended;
    },
  };
}

/** Waits for the end of its input, which comes with the end of the process that holds it. */
function guardOf(pid: number): ChildProcess {
  const watch = `cat >/dev/null; kill -9 -- -${pid} 2>/dev/null`;
  const guard = spawn('sh', ['-c', watch], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  guard.unref();
  return guard;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function endGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { redirect: 'manual' })).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system gave no port');
  return address.port;
}
