// Checks that comments and docs name their subjects: see the rule "Words" of docs/CONTRIBUTING.md. Run by `npm run lint`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { riddlesInComments, riddlesInProse } from './comment-words.js';

const problems = new Map();
const read = (folder) => readdirSync(folder, { recursive: true }).map((name) => `${folder}/${name}`);
const adapters = readdirSync('adapters').flatMap((name) => [
  `adapters/${name}/src`,
  `adapters/${name}/page`,
  `adapters/${name}/test`,
]);
/** Quotes what it refuses. */
const OWN_TEST = 'test/architecture/comment-words.test.ts';
const places = ['src', 'test', ...adapters, 'docs']
  .filter(existsSync)
  .flatMap(read)
  .filter((path) => path !== OWN_TEST && !path.includes('/node_modules/'));
for (const path of [...places, ...readdirSync('.')].filter((name) => /\.(tsx?|md)$/.test(name))) {
  const text = readFileSync(path, 'utf8');
  const found = path.endsWith('.md') ? riddlesInProse(text) : riddlesInComments(text);
  if (found.length > 0) problems.set(path, found);
}
for (const [path, found] of problems) {
  for (const { line, word } of found) console.error(`${path}:${line}: "${word}": name the subject of the sentence`);
}
if (problems.size > 0) process.exit(1);
