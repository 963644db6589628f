/** Far more questions than any test asks without a mutant: a loop that does not end. */
const MOST_QUESTIONS = 20_000_000;

/** The mutant that is on, 0 for none. */
let on = 0;
let questions = 0;
let met = new Set<number>();

/** Answers the questions of the mutated sources. */
export const mutantSwitch = {
  turn(mutant: number): void {
    on = mutant;
    questions = 0;
    met = new Set();
  },
  /** Returns the mutants that were asked about since the last turn. */
  met: (): ReadonlySet<number> => met,
};

Object.assign(globalThis, {
  isMutant(id: number): boolean {
    questions += 1;
    if (questions > MOST_QUESTIONS && on > 0) throw new Error('The mutant does not end');
    met.add(id);
    return id === on;
  },
});
