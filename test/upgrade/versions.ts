import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type BackgroundProcess, startProcess } from '../processes/background-process.ts';
import { runShell } from '../processes/run-shell.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Snapshot of the last release's interface, which the release writes. */
const RELEASED = join(ROOT, 'test/stability/released');
const FROM_SOURCES = [
  join(ROOT, 'adapters/postgres/test/server/run-source.js'),
  join(ROOT, 'test/restore/kalends-process.ts'),
];

type Environment = Readonly<Record<string, string>>;

/** The command `kalends` of one version. */
export interface Version {
  start(environment: Environment, ...args: readonly string[]): BackgroundProcess;
  /** Runs a command to its end; resolves with what it has printed, as JSON. */
  json(environment: Environment, ...args: readonly string[]): Promise<{ readonly [name: string]: string }>;
}

function versionOf(program: readonly string[]): Version {
  const start: Version['start'] = (environment, ...args) =>
    startProcess(process.execPath, [...program, ...args], { folder: ROOT, environment });
  return {
    start,
    async json(environment, ...args) {
      const ended = start(environment, ...args, '--json');
      expect(await ended.end, ended.output()).toBe(0);
      return JSON.parse(ended.output().slice(ended.output().indexOf('{')));
    },
  };
}

/** This version, from its sources. */
export const presentVersion = versionOf(FROM_SOURCES);

/**
 * Builds the version before this one, from the commit that `previous-version` names. Until there is a release, a clone without that
 * commit builds the present files in its place, and says so: two processes of one version then stand for both.
 * @throws Error when the clone lacks the commit of a release
 */
export async function buildPreviousVersion(folder: string): Promise<Version> {
  const commit = readFileSync(new URL('previous-version', import.meta.url), 'utf8').trim();
  const isThere = await runShell(`git cat-file -e '${commit}^{commit}' && echo there || true`, ROOT);
  if (isThere.trim() === '' && !existsSync(RELEASED)) {
    console.log(`This clone lacks commit ${commit}: the present version stands for the one before it.`);
    await runShell(`tar -c --exclude=node_modules --exclude=dist --exclude=.git . | tar -x -C '${folder}'`, ROOT);
  } else await runShell(`git archive '${commit}' | tar -x -C '${folder}'`, ROOT);
  await runShell('npm ci --no-audit --no-fund', folder);
  return versionOf([join(folder, 'adapters/server/dist/cli.js')]);
}
