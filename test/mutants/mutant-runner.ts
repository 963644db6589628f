import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import fc from 'fast-check';
import { inject, TestRunner } from 'vitest';
import { getFn } from 'vitest/suite';
import { mutantSwitch } from './mutant-switch.ts';
import { type Turn, turnsOf } from './turns.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly mutantRun: MutantRun;
  }
}

export interface MutantRun {
  /** A mutant that is on from the first import to the end; 0 leaves all off. */
  readonly alone: number;
  /** Mutants that each test is played with in turns, by its path and name; null plays every test without a mutant. */
  readonly turns: Readonly<Record<string, readonly number[]>> | null;
  /** Epoch milliseconds after which no turn begins. */
  readonly until: number;
  readonly root: string;
  /** Takes the fates, a JSON object a line. */
  readonly path: string;
}

type Test = Parameters<TestRunner['onAfterTryTask']>[0];

/** A test of a few milliseconds that takes seconds has stopped. */
const LEAST_LIMIT_MS = 5_000;
const LIMIT_FACTOR = 20;

// Before a test puts others in their place.
const { setTimeout, clearTimeout, performance } = globalThis;
const { now } = Date;

/** Of the process: each test file has a runner of its own. */
const played = { dead: new Set<number>(), isOver: false };

/** Plays each test many times in one process, with another mutant in each turn, or with one mutant alone. */
export default class MutantRunner extends TestRunner {
  readonly #run = inject('mutantRun');
  #path = '';
  #turns: Generator<number, boolean, Turn> | undefined;
  #mutant = 0;
  #startedAt = 0;
  #limitMs: number | undefined;
  #unhandled: unknown;

  constructor(...args: ConstructorParameters<typeof TestRunner>) {
    super(...args);
    // The first counterexample is enough.
    fc.configureGlobal({ endOnFailure: true });
    mutantSwitch.turn(this.#run.alone);
    process.on('unhandledRejection', (error) => {
      this.#unhandled = error;
    });
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    await super.onBeforeRunTask(test);
    if (this.#run.alone > 0) return;
    const path = relative(this.#run.root, test.file.filepath);
    const isWanted = this.#run.turns === null || this.#candidatesOf(path, test).length > 0;
    if (played.isOver || !isWanted) test.mode = 'skip';
    if (test.mode === 'skip') return;
    this.#path = path;
    this.#turns = this.#turnsOf(test);
    this.#mutant = this.#turns.next().value as number;
    // The retries are the turns; `onAfterRetryTask` ends them.
    test.retry = Number.MAX_SAFE_INTEGER;
  }

  #candidatesOf(path: string, test: Test): readonly number[] {
    return (this.#run.turns?.[`${path} ${test.fullTestName}`] ?? []).filter((mutant) => !played.dead.has(mutant));
  }

  #turnsOf(test: Test): Generator<number, boolean, Turn> {
    const path = this.#path;
    return turnsOf(this.#candidatesOf(path, test), (mutant, fate, { failure, met, ms }) => {
      if (fate !== 'survives') played.dead.add(mutant);
      if (mutant === 0) this.#limitMs = Math.max(LEAST_LIMIT_MS, LIMIT_FACTOR * ms);
      const line = { path, test: test.fullTestName, mutant, fate, ms: Math.round(ms), failure };
      const isFirst = mutant === 0 && this.#run.turns === null;
      if (mutant > 0 || fate === 'breaks' || isFirst) this.#tell({ ...line, ...(isFirst ? { met: [...met] } : {}) });
    });
  }

  override onBeforeTryTask(test: Test): void {
    super.onBeforeTryTask(test);
    if (this.#run.alone > 0) return;
    this.#unhandled = undefined;
    if (test.result !== undefined) test.result.errors = undefined;
    mutantSwitch.turn(this.#mutant);
    this.#startedAt = performance.now();
  }

  async runTask(test: Test): Promise<void> {
    const limitMs = this.#limitMs;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      if (limitMs !== undefined) timer = setTimeout(() => reject(new Error('The turn timed out')), limitMs);
    });
    try {
      await Promise.race([getFn(test)(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  onAfterRetryTask(test: Test): void {
    const { result } = test;
    if (this.#turns === undefined || result === undefined) return;
    const turn = {
      failure: result.errors?.at(-1)?.message ?? (this.#unhandled === undefined ? undefined : String(this.#unhandled)),
      met: mutantSwitch.met(),
      ms: performance.now() - this.#startedAt,
    };
    mutantSwitch.turn(0);
    const next = this.#turns.next(turn);
    this.#limitMs = next.done ? undefined : this.#limitMs;
    played.isOver = (next.done && !next.value) || now() > this.#run.until;
    if (!next.done) this.#mutant = next.value;
    // Vitest tries a test again that fails with an error.
    const hasNext = !next.done && !played.isOver;
    result.state = hasNext ? 'fail' : 'pass';
    result.errors = hasNext ? [{ message: 'another turn' }] : undefined;
  }

  #tell(line: object): void {
    appendFileSync(this.#run.path, `${JSON.stringify(line)}\n`);
  }
}
