// Checks that the lock file pins every package to its content: see "Dependencies" of docs/CONTRIBUTING.md. Run by `npm run lint`.
import { readFileSync } from 'node:fs';
import { lockProblems } from './lock-problems.js';

const read = (name) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const lock = read('package-lock.json');
const problems = lockProblems(lock, read('package.json').allowScripts);
if (problems.length > 0) {
  for (const problem of problems) console.error(`package-lock.json: ${problem}`);
  process.exit(1);
}
console.log(`lock: ${Object.keys(lock.packages).length} packages, no problem`);
