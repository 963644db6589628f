// The proofs that take too long for `.ci/run`, or that one asks for by name: `npm run prove` lists them.
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startVitest } from 'vitest/node';
import { runMutants } from './mutants/run-mutants.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const RUN_SOURCE = 'adapters/postgres/test/server/run-source.js';

/** Test files with the sizes they are played at. Each size can be given as `--name=number`. */
const TESTS = {
  simulation: {
    about: 'histories of whole engines under faults, of one provider when it is named (google, microsoft, caldav)',
    files: ['test/simulation/google.test.ts', 'test/simulation/microsoft.test.ts', 'test/simulation/caldav.test.ts'],
    sizes: { from: 1, seeds: 10_000 },
  },
  crashes: {
    about: 'a process that dies at each point of each write, 50 times',
    files: ['test/intents/crash.test.ts'],
    sizes: { cases: 50 },
  },
  deliveries: {
    about: 'messages to receivers that refuse some, while workers are killed and PostgreSQL crashes',
    files: ['test/webhooks/killed-processes.test.ts'],
    sizes: { messages: 10_000, kills: 200, restarts: 20 },
  },
  rates: {
    about: 'the rate limit of a subscription, kept by four processes together',
    files: ['test/webhooks/rate-across-processes.test.ts'],
    sizes: { changes: 10_000 },
  },
  fleet: {
    about: 'three processes on one PostgreSQL, killed and crashed, against a list of what was acknowledged',
    files: ['adapters/postgres/test/crash/shared-calendars.test.ts'],
    sizes: { writes: 1_000, kills: 100, restarts: 30 },
  },
  shards: {
    about: 'accounts that move between databases while processes are killed, movers among them, and a server crashes',
    files: ['adapters/postgres/test/sharded/moving-storm.test.ts'],
    sizes: { accounts: 1_000, moves: 3, kills: 60, restarts: 10 },
  },
  plans: {
    about: "PostgreSQL's plans on a share of five million events, an hour or two",
    files: ['adapters/postgres/test/query-plans.long.test.ts'],
    sizes: { share: 1 },
  },
  rules: {
    about: 'generated recurrence rules against rrule, an expander that tests every second, and hostile rules',
    files: ['test/differential/calendar.long.test.ts', 'test/recurrence/hostile-rules.test.ts'],
    sizes: { seed: 1, rules: 100_000 },
  },
  distortion: {
    about:
      'objects that a provider sends distorted, among good ones, of one provider when it is named (google, microsoft, caldav)',
    files: ['test/distortion/google.test.ts', 'test/distortion/microsoft.test.ts', 'test/distortion/caldav.test.ts'],
    sizes: { from: 1, objects: 10_000, rounds: 12, copies: 4 },
  },
  copies: {
    about: 'calendars copied from provider to provider and back, field by field',
    files: ['test/copies/copies.test.ts'],
    sizes: { copies: 500 },
  },
  holds: {
    about:
      'a process that dies at any await of taking, showing, confirming, moving and cancelling; the stride is in awaits',
    files: ['test/holds/hold-crash.test.ts', 'test/holds/hold-events-crash.test.ts'],
    sizes: { stride: 1 },
  },
  records: {
    about: 'a copy that follows messages with records, of which some are lost, come twice or late, against fresh lists',
    files: ['test/webhooks/records.property.test.ts'],
    sizes: { histories: 10_000, ordered: 1_000 },
  },
  digests: {
    about: 'digests of lists and sync results, against those of what clients hold and of fresh lists',
    files: ['test/events/digest/digest.property.test.ts'],
    sizes: { runs: 5_000 },
  },
  'power-cuts': {
    about: 'a process that writes to a SQLite file, whose power is cut at any of its file calls; needs Linux and gcc',
    files: ['adapters/sqlite/test/power-cuts/power-cuts.long.test.ts'],
    sizes: { from: 1, cycles: 100, cuts: 3, states: 12, works: 40 },
  },
  availability: {
    about: 'free slots of several people, against a search of every minute',
    files: ['test/availability/against-brute-force.test.ts'],
    sizes: { cases: 10_000 },
  },
  scopes: {
    about: 'edits of one, of all and of following occurrences, against a model in memory',
    files: ['test/events/series-edit/model.property.test.ts'],
    sizes: { histories: 500 },
  },
};

/** Test files that are given a folder of files by others, which are no part of this repository. */
const FOLDERS = {
  files: {
    about: 'each .ics file of a folder into every provider, out and in again, and read as a feed: files --folder=PATH',
    files: ['test/interface/imports/files.proof.ts'],
  },
};

/** Commands that print what they find. */
const COMMANDS = {
  large: {
    about:
      'five million events in PostgreSQL, what they take and how fast they are read; a share may be given: large 0.1',
    command: [RUN_SOURCE, 'adapters/postgres/test/scale/large.ts'],
  },
  million: {
    about: 'the memory of a process with a million events in a SQLite file; a number of events may be given',
    command: [RUN_SOURCE, 'adapters/sqlite/test/million.ts'],
  },
  transcripts: {
    about: 'records the transcripts that the replays of the parity kit read, from the sandbox',
    command: [RUN_SOURCE, 'adapters/server/test/parity/record-transcripts.ts'],
  },
  bench: {
    about: 'every bench; names may be given: bench reads mirror',
    command: ['test/bench/run.js'],
  },
};

const MUTANTS = {
  about:
    'a seeded sample of small faults in the mirror, its pulls and its statements (0: all), which the fast tests must notice; stops after some minutes and goes on in the next run (0: never stops); plays one mutant by its id',
  sizes: { sample: 300, seed: 1, minutes: 0, only: 0 },
};

const [name, ...words] = process.argv.slice(2);
if (name === 'mutants') await runMutants(root, sizesFrom(MUTANTS.sizes, words));
else if (name in TESTS) process.exitCode = await playTests(TESTS[name], words);
else if (name in FOLDERS) process.exitCode = await playFolder(FOLDERS[name], words);
else if (name in COMMANDS) process.exitCode = await run([...COMMANDS[name].command, ...words]);
else {
  for (const [each, { about, sizes = {} }] of Object.entries({ ...TESTS, mutants: MUTANTS, ...FOLDERS, ...COMMANDS })) {
    const flags = Object.entries(sizes).map(([size, value]) => `--${size}=${value}`);
    console.log(`${each.padEnd(14)}${about}${flags.length > 0 ? `: ${flags.join(' ')}` : ''}`);
  }
  process.exitCode = name === undefined ? 0 : 1;
}

async function playTests({ files, sizes }, words) {
  const names = words.filter((word) => !word.startsWith('--'));
  const unknown = names.find((each) => !files.some((file) => file.includes(each)));
  // Without a file, every suite would be played.
  if (unknown !== undefined) throw new Error(`${unknown} is in the name of none of the files ${files.join(', ')}`);
  const played = names.length === 0 ? files : files.filter((file) => names.some((each) => file.includes(each)));
  return await playVitest(played, { provide: { sizes: sizesFrom(sizes, words) } });
}

async function playFolder({ files }, words) {
  const [, given] = (words.length === 1 ? /^--folder=(.+)$/.exec(words[0]) : null) ?? [];
  if (given === undefined) throw new Error('Give the folder as --folder=PATH');
  // npm runs this in the root of the repository, and INIT_CWD is where it was called.
  const folder = resolve(process.env.INIT_CWD ?? '.', given);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`There is no folder ${folder}`);
  return await playVitest(files, { include: files, provide: { folder } });
}

async function playVitest(files, options) {
  await startVitest('test', files, {
    root,
    config: 'test/long.config.ts',
    run: true,
    watch: false,
    testTimeout: 86_400_000,
    ...options,
  });
  return process.exitCode;
}

/** The default sizes, with those that the words give in their place. */
function sizesFrom(defaults, words) {
  const flags = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2).split('='));
  const unknown = flags.find(([size, value]) => !(size in defaults) || value === '' || Number.isNaN(Number(value)));
  if (unknown !== undefined) throw new Error(`Sizes are ${Object.keys(defaults).join(', ')}, each with a number`);
  return { ...defaults, ...Object.fromEntries(flags.map(([size, value]) => [size, Number(value)])) };
}

function run(command) {
  const child = spawn(process.execPath, command, { cwd: root, stdio: 'inherit' });
  return new Promise((resolve) => child.on('close', resolve));
}
