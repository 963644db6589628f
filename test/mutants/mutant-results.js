import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Opens the results of earlier runs, so that a run goes on where the last one stopped. A fate holds as long as the mutated
 * source is the same; that a test is survived, as long as the test file is the same too.
 */
export function openResults(path) {
  mkdirSync(dirname(path), { recursive: true });
  const fates = new Map();
  const alone = new Map();
  const survived = new Map();
  const baselines = new Map();
  if (existsSync(path))
    for (const text of readFileSync(path, 'utf8').split('\n')) if (text !== '') take(JSON.parse(text));
  return {
    /** The fate of each mutant that did not survive its turns. */
    fates,
    /** The fate of a mutant that was played alone; only a kill holds for other tests too. */
    fateAlone: (key, suite) => alone.get(key) ?? alone.get(`${key} ${suite}`),
    /** The mutants that each test has survived, by the version of its file. */
    survivedIn: (version) => survived.get(version) ?? new Map(),
    baseline: (version, sources) => baselines.get(`${version} ${sources}`),
    add(line) {
      take(line);
      appendFileSync(path, `${JSON.stringify(line)}\n`);
    },
  };

  function take(line) {
    if (line.baseline !== undefined) baselines.set(`${line.baseline} ${line.sources}`, line);
    else if (line.alone !== undefined)
      alone.set(line.fate === 'killed' ? line.alone : `${line.alone} ${line.suite}`, line);
    else if (line.fate === 'survives') testsOf(line.version, line.test).add(line.key);
    else fates.set(line.key, line);
  }

  function testsOf(version, test) {
    if (!survived.has(version)) survived.set(version, new Map());
    const tests = survived.get(version);
    if (!tests.has(test)) tests.set(test, new Set());
    return tests.get(test);
  }
}
