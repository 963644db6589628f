// Lints both OpenAPI documents with redocly and spectral, by their recommended rules: npm run lint:openapi
// The linters bring some hundred packages: they stay out of the lock file, as the bench's peers do.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSource } from '../../adapters/postgres/test/server/load-source.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const manifestAt = (path) => JSON.parse(readFileSync(join(here, path, 'package.json'), 'utf8'));
const isInstalled = Object.entries(manifestAt('.').dependencies).every(([name, version]) => {
  const path = `node_modules/${name}`;
  return existsSync(join(here, path)) && manifestAt(path).version === version;
});
if (!isInstalled) {
  console.log('Installing the linters (once) …');
  execFileSync(
    'npm',
    ['install', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--workspaces=false'],
    {
      cwd: here,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
}

const LINTERS = [
  ['redocly', (path) => ['lint', path, '--config', join(here, 'redocly.yaml'), '--format', 'json']],
  ['spectral', (path) => ['lint', path, '--ruleset', join(here, 'spectral.yaml'), '--format', 'json', '--quiet']],
];

/** Returns the findings of a linter, as `rule: message`. Both end with a code other than 0 for some of them. */
function findingsOf(name, parameters) {
  const { stdout, stderr, error } = spawnSync(join(here, 'node_modules/.bin', name), parameters, {
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' },
  });
  const begin = stdout.search(/[[{]/);
  if (error !== undefined || begin < 0) throw new Error(`${name} printed no findings: ${stderr}`, { cause: error });
  const findings = JSON.parse(stdout.slice(begin));
  return name === 'redocly'
    ? findings.problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`)
    : findings.map(({ code, message, path }) => `${code}: ${message} (${path.join('/')})`);
}

const folder = mkdtempSync(join(tmpdir(), 'kalends-openapi-'));
const { module, close } = await loadSource(join(here, 'documents.ts'));
let count = 0;
for (const [file, document] of Object.entries(module.documents())) {
  const path = join(folder, file);
  writeFileSync(path, JSON.stringify(document, null, 2));
  for (const [name, parametersFor] of LINTERS) {
    for (const finding of findingsOf(name, parametersFor(path))) {
      console.error(`${file}, ${name}: ${finding}`);
      count += 1;
    }
  }
}
await close();
rmSync(folder, { recursive: true });
console.log(`OpenAPI documents: ${count === 0 ? 'no problem' : `${count} problems`}`);
if (count > 0) process.exitCode = 1;
