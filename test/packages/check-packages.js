// What a consumer's tools would complain about: the manifests (publint) and the types behind each export (attw).
// Reads what `npm run build` has made. Run by `npm run lint`.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packages = [root, ...readdirSync(`${root}adapters`).map((name) => `${root}adapters/${name}`)];
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
