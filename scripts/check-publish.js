// Refuses to publish a package from a tree that is changed, untagged, untested or not built: `prepublishOnly` of every package.
// `node scripts/check-publish.js --record-tests`, the last step of .ci/run, notes the commit that has passed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { namedFiles, publishProblems } from './release/publish-problems.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RECORD = join(ROOT, '.tested');

const run = (command, ...args) => execFileSync(command, args, { cwd: ROOT, encoding: 'utf8' }).trim();

function recordTests() {
  if (spawnSync('git', ['rev-parse', '--git-dir'], { cwd: ROOT }).status !== 0) {
    console.log('not recorded as tested, because this is no checkout of git');
    return;
  }
  const changes = run('git', 'status', '--porcelain');
  if (changes !== '') {
    console.log(`not recorded as tested, because the tree is not that of a commit:\n${changes}`);
    return;
  }
  const head = run('git', 'rev-parse', 'HEAD');
  writeFileSync(RECORD, `${head}\n`);
  console.log(`recorded as tested: ${head}`);
}

function staleProjects() {
  const plan = run('npx', 'tsc', '-b', 'tsconfig.build.json', '--dry', '--pretty', 'false');
  return [...plan.matchAll(/would build project '(.+)'/g)].map(([, path]) => path.slice(ROOT.length));
}

function workflowUrl({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository }) {
  return repository === undefined ? undefined : `git+${server}/${repository}.git`;
}

function check(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const tree = {
    changes: run('git', 'status', '--porcelain'),
    head: run('git', 'rev-parse', 'HEAD'),
    tested: existsSync(RECORD) ? readFileSync(RECORD, 'utf8').trim() : undefined,
    tags: run('git', 'tag', '--points-at', 'HEAD').split('\n'),
    staleProjects: staleProjects(),
    missingFiles: namedFiles(manifest).filter((path) => !existsSync(join(folder, path))),
    workflowUrl: workflowUrl(process.env),
  };
  const problems = publishProblems(tree, manifest);
  for (const problem of problems) console.error(`${manifest.name} is not published: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

const { values } = parseArgs({ options: { 'record-tests': { type: 'boolean' } } });
if (values['record-tests'] === true) recordTests();
else check(process.cwd());
