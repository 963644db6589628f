import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverUser, shippedBinaries } from './shipped-binaries.ts';

export interface PostgresServer {
  /** Address of its database `postgres`, as a superuser. */
  readonly url: string;
  /** Stops and starts it on the same port: `fast` ends the sessions, `immediate` is a crash, to be recovered from. */
  restart(mode: 'fast' | 'immediate'): Promise<void>;
  /** Stops it, ending the sessions; its address refuses then. */
  goAway(): Promise<void>;
  /** Starts it again where it was. */
  comeBack(): Promise<void>;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
}

/** Durability costs the tests minutes and says nothing here: the machine does not lose power in their midst. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  listen_addresses: '127.0.0.1',
  // A deadlock that tests make on purpose should not cost a second.
  deadlock_timeout: '100ms',
};

/** Waits for the end of its input, which comes with the end of the process that holds it, then leaves nothing behind. */
const CARETAKER = 'cat >/dev/null; "$1/pg_ctl" -D "$2/data" -m immediate -w stop >/dev/null 2>&1; rm -rf "$2"';

/**
 * Starts a PostgreSQL of its own from the binaries that npm installs: in a folder of its own, on a free port, as a user
 * without rights where the process is root. It ends with `stop`, and with the process however that ends.
 * @param binaries folder of an installed server to use instead
 * @throws Error when it cannot be started, with what its log says
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  binaries?: string,
): Promise<PostgresServer> {
  const user = serverUser();
  const folder = mkdtempSync(join(user.uid === undefined ? tmpdir() : '/tmp', 'kalends-postgres-'));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  let caretaker: ChildProcess | undefined;
  try {
    const bin = binaries ?? shippedBinaries(folder, user);
    const run = (program: string, ...parameters: readonly string[]) => execute(join(bin, program), parameters, user);
    const data = join(folder, 'data');
    await run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync');
    caretaker = spawn('sh', ['-c', CARETAKER, 'sh', bin, folder], {
      ...user,
      // A Ctrl+C in the terminal must not take it before its time.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
    });
    // It is there for the end of this process, and must not put it off.
    caretaker.unref();
    const all = { ...SETTINGS, unix_socket_directories: folder, ...settings };
    const port = await startOnFreePort(run, folder, all);
    const control = (...words: readonly string[]) =>
      run('pg_ctl', '-D', data, '-l', logOf(folder), '-t', '120', '-w', ...words);
    const closing = caretaker;
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      restart: (mode) => control('-m', mode, 'restart'),
      goAway: () => control('-m', 'fast', 'stop'),
      comeBack: () => control('-o', flagsOf({ ...all, port: String(port) }), 'start'),
      stop: () => stop(closing),
    };
  } catch (error) {
    if (caretaker === undefined) rmSync(folder, { recursive: true, force: true });
    else await stop(caretaker);
    throw error;
  }
}

const flagsOf = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}='${value}'`)
    .join(' ');

const logOf = (folder: string) => join(folder, 'log');

async function startOnFreePort(
  run: (program: string, ...parameters: readonly string[]) => Promise<void>,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const flags = flagsOf({ ...settings, port: String(port) });
    try {
      await run('pg_ctl', '-D', join(folder, 'data'), '-l', logOf(folder), '-o', flags, '-w', 'start');
      return port;
    } catch (cause) {
      const log = readFileSync(logOf(folder), 'utf8');
      // Another process may have taken the port since it was free.
      if (attempt === 5 || !log.includes('could not bind')) throw new Error(`PostgreSQL: ${log}`, { cause });
      rmSync(logOf(folder));
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system gave no port');
  return address.port;
}

async function execute(
  path: string,
  parameters: readonly string[],
  user: { readonly uid?: number; readonly gid?: number },
): Promise<void> {
  const child = spawn(path, parameters, { ...user, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${path} ended with ${code}: ${output}`);
}

async function stop(caretaker: ChildProcess): Promise<void> {
  if (caretaker.exitCode !== null) return;
  const ended = once(caretaker, 'exit');
  caretaker.ref();
  caretaker.stdin?.end();
  await ended;
}
