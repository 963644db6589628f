// Compares the public interface (OpenAPI documents and types) with its snapshot, and says what breaks users: npm run stability.
// --accept writes the snapshot; --check fails for one that is out of date, and for breaks that the changelog does not name.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadSource } from '../adapters/postgres/test/server/load-source.js';
import { contractOf } from './stability/openapi-changes.js';
import { publicTypes } from './stability/public-types.js';
import { shown, snapshotChanges, stabilityProblems } from './stability/stability-problems.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SNAPSHOT = join(ROOT, 'test/stability/snapshot');
const RELEASED = join(ROOT, 'test/stability/released');

function readSnapshot(folder) {
  if (!existsSync(folder)) return undefined;
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

async function currentSnapshot() {
  const folders = ['.', ...readdirSync(join(ROOT, 'adapters')).map((name) => `adapters/${name}`)];
  const types = publicTypes(
    ROOT,
    folders.filter((folder) => existsSync(join(ROOT, folder, 'package.json'))),
  );
  const { module, close } = await loadSource(join(ROOT, 'test/openapi/documents.ts'));
  const documents = Object.entries(module.documents()).map(([file, document]) => [
    file,
    `${JSON.stringify(contractOf(JSON.parse(JSON.stringify(document))), null, 1)}\n`,
  ]);
  await close();
  const texts = Object.entries(types).map(([name, text]) => [`${name.replace('@kalends/', 'kalends-')}.txt`, text]);
  return Object.fromEntries([...documents, ...texts]);
}

const { values } = parseArgs({ options: { accept: { type: 'boolean' }, check: { type: 'boolean' } } });
const [snapshot, released, current] = [readSnapshot(SNAPSHOT) ?? {}, readSnapshot(RELEASED), await currentSnapshot()];

if (values.check === true) {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const problems = stabilityProblems({ snapshot, current, released, changelog });
  for (const problem of problems) console.error(`stability: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`stability: ${Object.keys(current).length} files, as in the snapshot`);
} else {
  const changes = snapshotChanges(snapshot, current);
  console.log(changes.length === 0 ? 'No difference from the snapshot.' : shown(changes));
  if (released !== undefined) {
    console.log(`\nSince the last release:\n${shown(snapshotChanges(released, current)) || '  no difference'}`);
  }
}
if (values.accept === true) {
  rmSync(SNAPSHOT, { recursive: true, force: true });
  mkdirSync(SNAPSHOT, { recursive: true });
  for (const [file, text] of Object.entries(current)) writeFileSync(join(SNAPSHOT, file), text);
}
