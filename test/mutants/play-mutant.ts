import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, expect, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The mutant that is played, 0 for none. */
    readonly mutant?: number;
    /** Takes a line about each file: the mutants that it meets. */
    readonly metPath?: string;
  }
}

/** Far more questions than any file asks without a mutant: a loop that does not end any more. */
const MOST_QUESTIONS = 20_000_000;

const played = inject('mutant') ?? 0;
const metPath = inject('metPath');
const met = new Set<number>();
let questions = 0;

Object.assign(globalThis, {
  isMutant(id: number): boolean {
    questions += 1;
    if (questions > MOST_QUESTIONS && played > 0) throw new Error('The mutant does not end');
    if (metPath !== undefined) met.add(id);
    return id === played;
  },
});

// The first counterexample is enough.
fc.configureGlobal({ endOnFailure: true });

afterAll(() => {
  if (metPath === undefined) return;
  const line = { path: expect.getState().testPath, met: [...met], questions };
  appendFileSync(metPath, `${JSON.stringify(line)}\n`);
});
