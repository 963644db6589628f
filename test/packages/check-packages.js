// Checks the packages as a consumer's tools do, in their built form: the manifests (publint), the types behind each export
// (attw), and one version for all. Run by `npm run lint:packages`, after `npm run build`.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { checkManifests } from '../../scripts/release/plan-release.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packages = [root, ...readdirSync(`${root}adapters`).map((name) => `${root}adapters/${name}`)];
checkManifests(packages.map((path) => JSON.parse(readFileSync(`${path}/package.json`, 'utf8'))));

let problems = 0;
for (const path of packages) {
  const { messages, pkg } = await publint({ pkgDir: path, level: 'warning' });
  for (const message of messages) {
    problems += 1;
    console.error(`${pkg.name}: ${formatMessage(message, pkg)}`);
  }
  try {
    execFileSync('npx', ['attw', '--pack', path, '--profile', 'esm-only', '--quiet'], { cwd: root, stdio: 'pipe' });
  } catch (error) {
    problems += 1;
    console.error(`${pkg.name}: ${error.stdout}${error.stderr}`);
  }
}
if (problems > 0) process.exit(1);
console.log(`packages: ${packages.length}, no problem`);
