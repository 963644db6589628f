export interface Mutant {
  readonly id: number;
  /** Names the mutant as long as its source stays the same. */
  readonly key: string;
  readonly path: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

export interface MutatedSource {
  /** The source with every mutant in it. */
  readonly text: string;
  readonly mutants: readonly Mutant[];
}

export function sourcesToMutate(root: string): ReadonlyMap<string, MutatedSource>;

export function mutantsIn(sources: ReadonlyMap<string, MutatedSource>): readonly Mutant[];
