// Writes the interfaces of the model from its schemas, the client's copy of them, and a test that compares both with zod's own
// inference: node scripts/generate-interfaces.js. With --check it writes nothing, and fails for files that are out of date.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSource } from '../adapters/postgres/test/server/load-source.js';
import { clientFiles, equalityTest, modelFiles } from './interfaces/generated-files.js';
import { readModel } from './interfaces/read-model.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const biome = resolve(root, 'node_modules/@biomejs/biome/bin/biome');

/** Folders that hold generated files alone; a file of a schema that is gone is removed. */
const FOLDERS = ['src/model/interfaces', 'adapters/client/src/model'];

function formatted({ path, text }) {
  const options = { cwd: root, input: text, encoding: 'utf8' };
  return {
    path,
    text: execFileSync(process.execPath, [biome, 'check', '--write', `--stdin-file-path=${path}`], options),
  };
}

function strayFiles(paths) {
  return FOLDERS.filter((folder) => existsSync(resolve(root, folder)))
    .flatMap((folder) => readdirSync(resolve(root, folder)).map((name) => `${folder}/${name}`))
    .filter((path) => !paths.includes(path));
}

const { module, close } = await loadSource(resolve(root, 'src/model/index.ts'));
const model = readModel(module, resolve(root, 'src/model'));
await close();
const files = [...modelFiles(model), ...clientFiles(model), equalityTest(model)].map(formatted);
const stray = strayFiles(files.map(({ path }) => path));
const outdated = files.filter(({ path, text }) => {
  const file = resolve(root, path);
  return !existsSync(file) || readFileSync(file, 'utf8') !== text;
});

if (!process.argv.includes('--check')) {
  for (const path of stray) rmSync(resolve(root, path));
  for (const { path, text } of outdated) {
    mkdirSync(dirname(resolve(root, path)), { recursive: true });
    writeFileSync(resolve(root, path), text);
  }
  console.log(`interfaces: ${outdated.length} of ${files.length} files written, ${stray.length} removed`);
} else if (outdated.length + stray.length > 0) {
  for (const path of [...outdated.map(({ path }) => path), ...stray]) console.error(`${path}: out of date`);
  console.error('The interfaces differ from the schemas of src/model: run npm run generate.');
  process.exitCode = 1;
} else {
  console.log(`interfaces: ${files.length} files, all up to date`);
}
