import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly differentialSeed?: number;
  }
}

/** Another seed each run, printed, so that the cases add up over time and any failure can be had again. */
export const SEED = inject('differentialSeed') ?? Math.floor(performance.timeOrigin) % 2 ** 31;

/** Runs a comparison over generated cases and says which seed they came from. */
export function compare<T>(name: string, arbitrary: fc.Arbitrary<T>, cases: number, check: (value: T) => void): void {
  console.info(`${name}: ${cases} cases, seed ${SEED}`);
  fc.assert(
    fc.property(arbitrary, (value) => {
      check(value);
    }),
    { numRuns: cases, seed: SEED },
  );
}
