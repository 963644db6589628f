// Checks the packages as a consumer's tools do, in their built form: the manifests (publint and rules of our own), the types
// behind each export (attw), one version for all, README, source maps, and the licences of the packed files. Run by
// `npm run lint:packages`, after `npm run build`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { checkManifests } from '../../scripts/release/plan-release.js';
import { REDISTRIBUTED_WORKS } from '../../scripts/release/redistributed-works.js';
import { licenceProblems } from './licence-problems.js';
import { manifestProblems } from './manifest-problems.js';
import { sourceMapProblems } from './source-map-problems.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packages = [root, ...readdirSync(`${root}adapters`).map((name) => `${root}adapters/${name}`)];
const licence = readFileSync(`${root}LICENSE`, 'utf8');
const run = (command, ...args) => execFileSync(command, args, { cwd: root, stdio: 'pipe', encoding: 'utf8' });

async function publintProblems(path) {
  const { messages, pkg } = await publint({ pkgDir: path, level: 'warning' });
  return messages.map((message) => formatMessage(message, pkg));
}

function typeProblems(archive) {
  try {
    run('npx', 'attw', archive, '--profile', 'esm-only', '--quiet');
    return [];
  } catch (error) {
    return [`${error.stdout}${error.stderr}`];
  }
}

/** Unpacks an archive and returns its files' texts by path. */
function unpack(archive) {
  const folder = `${archive}-files`;
  mkdirSync(folder);
  run('tar', '-xzf', archive, '-C', folder);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      // Each path in an archive of npm begins with "package/".
      return [relative(join(folder, 'package'), path).split(sep).join('/'), readFileSync(path, 'utf8')];
    }),
  );
}

function readmeProblems(name, files) {
  const isTitled = files.get('README.md')?.startsWith(`# ${name}\n`) === true;
  return isTitled ? [] : [`README.md is missing, or does not begin with "# ${name}"`];
}

function worksIn(name) {
  return REDISTRIBUTED_WORKS.filter((work) => work.package === name).map(({ work, files, texts }) => ({
    work,
    files,
    texts: Object.entries(texts).map(([source, path]) => ({
      path,
      text: readFileSync(`${root}node_modules/${work}/${source}`, 'utf8'),
    })),
  }));
}

const manifests = packages.map((path) => JSON.parse(readFileSync(`${path}/package.json`, 'utf8')));
checkManifests(manifests);
const names = manifests.map(({ name }) => name);

const folder = mkdtempSync(join(tmpdir(), 'kalends-packages-'));
try {
  const packed = JSON.parse(
    run('npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...packages),
  );
  let problems = 0;
  for (const [index, { name, filename }] of packed.entries()) {
    const archive = join(folder, filename);
    const files = unpack(archive);
    for (const problem of [
      ...(await publintProblems(packages[index])),
      ...manifestProblems(manifests[index], relative(root, packages[index]), manifests[0], names),
      ...typeProblems(archive),
      ...readmeProblems(name, files),
      ...sourceMapProblems(files),
      ...licenceProblems(files, licence, worksIn(name)),
    ]) {
      problems += 1;
      console.error(`${name}: ${problem}`);
    }
  }
  console.log(`packages: ${packed.length}, problems: ${problems}`);
  if (problems > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
