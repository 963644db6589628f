import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createVitest } from 'vitest/node';
import { openResults } from './mutant-results.js';
import { digestOf, mutantsIn, sourcesToMutate } from './mutated-sources.js';

const CONFIG = 'test/mutants/mutants.config.ts';
const RESULTS = 'node_modules/.cache/mutants.jsonl';
/** The storage kit's file of tests holds none itself. */
const KIT = 'adapters/conformance/src';
const ALONE_LIMIT_MS = 15_000;
/** Files that may stop before a mutant that is played alone counts as timed out. */
const MOST_LATE = 2;
/** Tests of the mutated modules are the likeliest to kill, so they are played first. */
const NEAR = /^(test\/(mirror|pull|mutants)|adapters\/sql\/test\/mirror|adapters\/sqlite)\//;

/**
 * Plays a seeded sample of the mutants against the fast tests that meet them, and prints those that no test notices.
 * @param sample number of mutants, 0 for all
 * @param minutes stops after so many, 0 for never; the next run goes on from there
 * @param only id of the one mutant to play, 0 for the sample
 */
export async function runMutants(root, { sample, seed, minutes, only }) {
  const mutants = mutantsIn(sourcesToMutate(root));
  const drawn = shuffled(mutants, seed).slice(0, sample === 0 ? undefined : sample);
  const chosen = only === 0 ? drawn.filter(({ isTuning }) => !isTuning) : mutants.filter(({ id }) => id === only);
  const results = openResults(join(root, RESULTS));
  const until = minutes === 0 ? Number.MAX_SAFE_INTEGER : Date.now() + minutes * 60_000;
  const player = await openPlayer(root, mutants);
  try {
    const files = await baselineOf(player, results, mutants);
    const playEachAlone = async () => {
      for (const mutant of chosen.filter((each) => mustPlayAlone(results, each)))
        if (Date.now() < until) await playAlone(player, results, files, mutant);
    };
    await playEachAlone();
    await playInTurns(player, results, chosen, files, until);
    await playEachAlone();
    if (only === 0)
      console.log(`${drawn.length - chosen.length} of ${drawn.length} only tune a constant or a log line.`);
    report(chosen, mutants.length, (mutant) => fateOf(results, player.suite, files, mutant));
    if (Date.now() >= until) console.log('Out of time: survivors have not met every test yet. Run again to go on.');
  } finally {
    await player.close();
  }
}

/** Runs test files in a process of their own, and returns the lines that the runner wrote. */
async function openPlayer(root, mutants) {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-mutants-'));
  const path = join(folder, 'lines');
  const vitest = await createVitest('test', {
    root,
    config: CONFIG,
    watch: false,
    bail: 1,
    testTimeout: ALONE_LIMIT_MS,
  });
  const specifications = new Map(
    (await vitest.globTestSpecifications()).map((each) => [relative(root, each.moduleId), each]),
  );
  const kit = digestOf(
    ...readdirSync(join(root, KIT), { recursive: true })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(root, KIT, name), 'utf8')),
  );
  const versions = new Map(
    [...specifications.keys()].map((each) => {
      const text = readFileSync(join(root, each), 'utf8');
      return [each, digestOf(each, text, text.includes('storageConformance') ? kit : '')];
    }),
  );
  const sources = digestOf(...new Set(mutants.map(({ key }) => key.split('.')[0])));
  return {
    paths: [...specifications.keys()],
    versionOf: (file) => versions.get(file),
    /** Changes with any mutated source. */
    sources,
    /** Changes with any test file or mutated source. */
    suite: digestOf(...[...versions.values()].sort(), sources),
    async play(files, run) {
      rmSync(path, { force: true });
      vitest.provide('mutantRun', {
        alone: 0,
        turns: {},
        until: Number.MAX_SAFE_INTEGER,
        root,
        path,
        ...run,
      });
      const outcome = await vitest.runTestSpecifications(files.map((file) => specifications.get(file)));
      return { outcome, lines: linesOf(path) };
    },
    async close() {
      await vitest.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function linesOf(path) {
  return readFileSync(path, { encoding: 'utf8', flag: 'a+' })
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text));
}

/** Plays every file without a mutant. @returns the files with the mutants that their tests meet, near ones first, then those of the fastest tests */
async function baselineOf(player, results, mutants) {
  const keys = new Map(mutants.map(({ id, key }) => [id, key]));
  const isNew = (path) => results.baseline(player.versionOf(path), player.sources) === undefined;
  const played = player.paths.filter(isNew);
  const { lines } = played.length === 0 ? { lines: [] } : await player.play(played, { turns: null });
  const broken = lines.filter(({ fate }) => fate === 'breaks');
  if (broken.length > 0)
    throw new Error(
      `Fails without a mutant: ${broken.map(({ path, test, failure }) => `${path} ${test}: ${failure}`)}`,
    );
  for (const path of played) {
    const tests = lines.filter((line) => line.path === path);
    if (tests.length === 0) throw new Error(`Plays no test: ${path}`);
    results.add({
      baseline: player.versionOf(path),
      sources: player.sources,
      path,
      ms: tests.reduce((sum, { ms }) => sum + ms, 0) / tests.length,
      tests: tests.map(({ test, met }) => ({ test, met: met.map((id) => keys.get(id)) })),
    });
  }
  return player.paths
    .map((path) => results.baseline(player.versionOf(path), player.sources))
    .sort((a, b) => Number(NEAR.test(b.path)) - Number(NEAR.test(a.path)) || a.ms - b.ms);
}

/** Plays each test with the mutants that it meets, in one process, and in a new one whenever a mutant has spoilt the last. */
async function playInTurns(player, results, chosen, files, until) {
  for (let isOver = false; !isOver && Date.now() < until; ) {
    const waiting = chosen.filter(({ key }) => !results.fates.has(key));
    const keys = new Map(waiting.map(({ id, key }) => [id, key]));
    const { paths, turns } = turnsIn(player, results, waiting, files);
    if (paths.length === 0) return;
    const { lines } = await player.play(paths, { turns, until });
    const fates = lines.filter(({ mutant }) => mutant > 0);
    for (const { path, mutant, ...line } of fates)
      results.add({ ...line, path, version: player.versionOf(path), key: keys.get(mutant) });
    for (const { path, test, failure } of lines.filter(({ fate }) => fate === 'breaks'))
      console.log(`fails without a mutant: ${path} ${test}: ${failure}`);
    isOver = !lines.some(({ fate }) => fate === 'spoils' || fate === 'breaks');
    console.log(`${waiting.length} mutants in turns: ${counts(fates)}`);
  }
}

/** Returns the waiting mutants of each test that meets some which it has not yet played, and the files of these tests. */
function turnsIn(player, results, waiting, files) {
  const ids = new Map(waiting.map(({ id, key }) => [key, id]));
  const turns = {};
  const paths = files.filter(({ path, tests }) => {
    const survivedIn = results.survivedIn(player.versionOf(path));
    const those = tests.map(({ test, met }) => {
      const survived = survivedIn.get(test) ?? new Set();
      return [`${path} ${test}`, met.flatMap((key) => (survived.has(key) ? [] : (ids.get(key) ?? [])))];
    });
    Object.assign(turns, Object.fromEntries(those));
    return those.some(([, mutants]) => mutants.length > 0);
  });
  return { paths: paths.map(({ path }) => path), turns };
}

function counts(lines) {
  const fates = groupedBy(lines, ({ fate }) => fate);
  return [...fates].map(([fate, those]) => `${fate} ${those.length}`).join(', ');
}

/** A mutant that is asked about at the first import cannot be switched on later; nor may one stop or spoil a process. */
function mustPlayAlone(results, { key, isAtLoad }) {
  const fate = results.fates.get(key)?.fate;
  return isAtLoad || fate === 'times out' || fate === 'spoils';
}

/** Plays the files that meet the mutant, or at least its source, in a process of their own, until one fails. */
async function playAlone(player, results, files, { id, key, isAtLoad, path: source }) {
  const { suite } = player;
  if (results.fateAlone(key, suite) !== undefined) return;
  const begin = performance.now();
  const digest = key.split('.')[0];
  const isMet = isAtLoad ? (each) => each.startsWith(digest) : (each) => each === key;
  const meeting = files.filter(({ tests }) => tests.some(({ met }) => met.some(isMet)));
  // A module of constants is met by no test in its turn.
  const played = isAtLoad && meeting.length === 0 ? files : meeting;
  const fate = await fateAmong(
    player,
    played.map(({ path }) => path),
    id,
  );
  const ms = Math.round(performance.now() - begin);
  results.add({ alone: key, suite, fate, ms });
  console.log(`alone: ${source} ${id} ${fate} in ${ms} ms`);
}

/** A test that stops proves little, so the files after it are played too, until a few have stopped. */
async function fateAmong(player, paths, id) {
  let rest = paths;
  for (let late = 0; ; late += 1) {
    if (late === MOST_LATE) return 'times out';
    if (rest.length === 0) return late > 0 ? 'times out' : 'survives';
    const { outcome } = await player.play(rest, { alone: id });
    const fate = fateIn(outcome);
    if (fate === 'survives' && late > 0) return 'times out';
    if (fate !== 'times out') return fate;
    const stopped = outcome.testModules.find((module) => module.state() === 'failed')?.relativeModuleId;
    rest = rest.slice(rest.indexOf(stopped) + 1);
  }
}

/** A test that times out is told apart: on a busy machine it may be no fault of the mutant. */
function fateIn({ testModules, unhandledErrors }) {
  if (unhandledErrors.length === 0 && testModules.every((module) => module.state() === 'passed')) return 'survives';
  const failures = testModules
    .flatMap((module) => [...module.children.allTests('failed')].flatMap((test) => test.result().errors ?? []))
    .concat(
      testModules.flatMap((module) => module.errors()),
      unhandledErrors,
    );
  return failures.every(({ message }) => /timed out in/.test(message)) ? 'times out' : 'killed';
}

function fateOf(results, suite, files, mutant) {
  const { key } = mutant;
  if (mustPlayAlone(results, mutant)) return results.fateAlone(key, suite)?.fate ?? 'not played yet';
  const fate = results.fates.get(key)?.fate;
  if (fate !== undefined) return fate;
  return files.some(({ tests }) => tests.some(({ met }) => met.includes(key))) ? 'survives' : 'never met';
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

function groupedBy(items, groupOf) {
  const groups = new Map();
  for (const item of items) groups.set(groupOf(item), [...(groups.get(groupOf(item)) ?? []), item]);
  return groups;
}

function report(chosen, total, fateOf) {
  const fates = groupedBy(chosen, fateOf);
  for (const [fate, those] of fates) {
    if (fate === 'killed') continue;
    console.log(`\n${those.length} ${fate}:`);
    for (const { id, path, line, from, to } of those)
      console.log(`${id} ${path}:${line} ${from} -> ${to || '(removed)'}`);
  }
  console.log(`\nOf ${total} mutants, ${chosen.length} in the sample:`);
  const folders = groupedBy(chosen, ({ path }) => path.slice(0, path.lastIndexOf('/')));
  for (const [folder, those] of [...folders, ['all', chosen]]) {
    const killed = those.filter((mutant) => fateOf(mutant) === 'killed').length;
    const late = those.filter((mutant) => fateOf(mutant) === 'times out').length;
    const share = ((100 * killed) / those.length).toFixed(1);
    console.log(`${folder}: ${killed} of ${those.length} killed, ${share} %; ${late} time out`);
  }
}
