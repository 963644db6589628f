import fc from 'fast-check';
import { sizeOf } from '../size-of.ts';

const drawn = Math.floor(performance.timeOrigin) % 2 ** 31;

/** Another seed each run, printed: the cases add up over time, and `npm run prove -- rules --seed=…` plays one again. */
export const SEED = sizeOf('seed', { short: drawn, long: drawn });

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
