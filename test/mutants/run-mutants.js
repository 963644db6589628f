import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVitest } from 'vitest/node';
import { mutantsIn, sourcesToMutate } from './mutated-sources.js';

const CONFIG = 'test/mutants/mutants.config.ts';

/**
 * Plays a seeded sample of the mutants, each against the fast tests that meet it, and prints those that survive.
 * @param sample number of mutants, 0 for all
 * @param from number of mutants of the sample to leave out at its beginning, as a run before has played them
 */
export async function runMutants(root, { sample, seed, from }) {
  const mutants = mutantsIn(sourcesToMutate(root));
  const folder = mkdtempSync(join(tmpdir(), 'kalends-mutants-'));
  const vitest = await createVitest('test', { root, config: CONFIG, watch: false, bail: 1 });
  try {
    const files = await meetings(vitest, join(folder, 'met'));
    const chosen = shuffled(mutants, seed).slice(from, sample === 0 ? undefined : sample);
    const fates = new Map();
    for (const [index, mutant] of chosen.entries()) {
      const begin = performance.now();
      const met = files.filter(({ met }) => met.has(mutant.id)).map(({ specification }) => specification);
      vitest.getRootProject().provide('mutant', mutant.id);
      const fate = met.length === 0 ? 'never met' : await fateOf(vitest, met);
      fates.set(mutant, fate);
      const seconds = ((performance.now() - begin) / 1000).toFixed(1);
      console.log(`${index + 1}/${chosen.length} ${fate} in ${seconds} s: ${described(mutant)}`);
    }
    report(mutants, fates);
  } finally {
    await vitest.close();
    rmSync(folder, { recursive: true });
  }
}

/** Plays every file without a mutant. @returns the files with the mutants they meet, the fastest first */
async function meetings(vitest, path) {
  vitest.provide('metPath', path);
  const specifications = await vitest.globTestSpecifications();
  const { testModules } = await vitest.runTestSpecifications(specifications);
  const failed = testModules.filter((module) => !module.ok());
  if (failed.length > 0) throw new Error(`Fails without a mutant: ${failed.map(({ moduleId }) => moduleId)}`);
  vitest.provide('metPath', undefined);
  const met = new Map(
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ path: file, met }) => [file, new Set(met)]),
  );
  const durations = new Map(testModules.map((module) => [module.moduleId, module.diagnostic().duration]));
  return specifications
    .map((specification) => ({ specification, met: met.get(specification.moduleId) ?? new Set() }))
    .sort((a, b) => durations.get(a.specification.moduleId) - durations.get(b.specification.moduleId));
}

/** Plays the files until one fails. A test that times out is told apart: on a busy machine it may be no fault of the mutant. */
async function fateOf(vitest, specifications) {
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  // A run that its first failure cuts off leaves modules without a verdict.
  if (unhandledErrors.length === 0 && testModules.every((module) => module.state() === 'passed')) return 'survives';
  const failures = testModules
    .flatMap((module) => [...module.children.allTests('failed')].flatMap((test) => test.result().errors ?? []))
    .concat(
      testModules.flatMap((module) => module.errors()),
      unhandledErrors,
    );
  return failures.every(({ message }) => /timed out in/.test(message)) ? 'times out' : 'killed';
}

function shuffled(mutants, seed) {
  const order = [...mutants];
  let state = seed >>> 0;
  for (let last = order.length - 1; last > 0; last -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

const described = ({ id, path, line, from, to }) => `${id} ${path}:${line} ${from} -> ${to || '(removed)'}`;

function report(mutants, fates) {
  for (const fate of ['survives', 'never met', 'times out']) {
    const those = [...fates].filter(([, each]) => each === fate);
    console.log(`\n${those.length} ${fate}:`);
    for (const [mutant] of those) console.log(described(mutant));
  }
  const folders = new Map();
  for (const [{ path }, fate] of fates) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    const { played, killed } = folders.get(folder) ?? { played: 0, killed: 0 };
    folders.set(folder, { played: played + 1, killed: killed + (fate === 'killed' ? 1 : 0) });
  }
  console.log(`\nOf ${mutants.length} mutants, without those that time out:`);
  for (const [folder, { played, killed }] of folders) {
    console.log(`${folder}: ${killed} of ${played} killed, ${((100 * killed) / played).toFixed(1)} %`);
  }
}
