// Releases all packages under one version: npm run release -- [--dry-run] X.Y.Z
// Writes the versions and the changelog, commits, and tags vX.Y.Z. Publishing is the work of .github/workflows/release.yml,
// which starts when the tag is pushed.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  checkManifests,
  checkVersion,
  ReleaseError,
  releaseChangelog,
  withVersion,
  withVersionConstant,
} from './release/plan-release.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The client names its version to the service, and runs where no file can be read. */
const CLIENT_VERSION = 'adapters/client/src/version.ts';
/** The public interface of this version becomes that of the last release: docs/stability.md. */
const [SNAPSHOT, RELEASED] = ['test/stability/snapshot', 'test/stability/released'];

const run = (command, ...args) => execFileSync(command, args, { cwd: ROOT, encoding: 'utf8' }).trim();

function readArguments() {
  const { values, positionals } = parseArgs({ options: { 'dry-run': { type: 'boolean' } }, allowPositionals: true });
  const [version, ...more] = positionals;
  if (version === undefined || more.length > 0) {
    throw new ReleaseError('give one version: npm run release -- [--dry-run] X.Y.Z');
  }
  return { version, isDryRun: values['dry-run'] === true };
}

/** Paths of the manifests, the core's first. */
function manifestPaths() {
  const adapters = readdirSync(join(ROOT, 'adapters')).map((name) => join('adapters', name, 'package.json'));
  return ['package.json', ...adapters.filter((path) => existsSync(join(ROOT, path)))];
}

function checkRepository(tag) {
  const changes = run('git', 'status', '--porcelain');
  if (changes !== '') throw new ReleaseError(`the working tree has changes; commit or stash them:\n${changes}`);
  if (run('git', 'tag', '--list', tag) !== '') throw new ReleaseError(`the tag ${tag} exists already`);
}

/** The files that the release changes, by path; throws before anything is written. */
function planFiles(version) {
  const manifests = manifestPaths().map((path) => [path, JSON.parse(readFileSync(join(ROOT, path), 'utf8'))]);
  checkManifests(manifests.map(([, manifest]) => manifest));
  checkVersion(version, manifests[0][1].version);
  const names = manifests.map(([, { name }]) => name);
  const files = new Map(
    manifests.map(([path, manifest]) => [path, `${JSON.stringify(withVersion(manifest, version, names), null, 2)}\n`]),
  );
  const date = new Date().toISOString().slice(0, 10);
  const { text, notes } = releaseChangelog(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version, date);
  files.set('CHANGELOG.md', text);
  files.set('test/upgrade/previous-version', `v${version}\n`);
  for (const file of readdirSync(join(ROOT, SNAPSHOT))) {
    files.set(join(RELEASED, file), readFileSync(join(ROOT, SNAPSHOT, file), 'utf8'));
  }
  files.set(CLIENT_VERSION, withVersionConstant(readFileSync(join(ROOT, CLIENT_VERSION), 'utf8'), version));
  return { files, notes };
}

function release() {
  const { version, isDryRun } = readArguments();
  const tag = `v${version}`;
  checkRepository(tag);
  const { files, notes } = planFiles(version);
  if (isDryRun) {
    console.log(`Would write ${[...files.keys(), 'package-lock.json'].join(', ')}`);
    console.log(`Would commit and tag ${tag} with:\n\n${notes}`);
    return;
  }
  rmSync(join(ROOT, RELEASED), { recursive: true, force: true });
  mkdirSync(join(ROOT, RELEASED));
  for (const [path, text] of files) writeFileSync(join(ROOT, path), text);
  run('git', 'add', RELEASED);
  run('npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund');
  run('git', 'commit', '--all', '--message', `Release ${version}`);
  run('git', 'tag', '--annotate', '--cleanup=verbatim', tag, '--message', `kalends ${version}\n\n${notes}`);
  console.log(`Tagged ${tag}. Publish it with: git push --follow-tags`);
}

try {
  release();
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}
