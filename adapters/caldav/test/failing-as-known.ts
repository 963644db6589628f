import { expect } from 'vitest';

type Declare = (name: string, run: () => Promise<void>) => void;

/** Declares cases; those of the table must fail, and as it says: one that passes has to leave the table. */
export function failingAsKnown(declare: Declare, known: Readonly<Record<string, RegExp>>): Declare {
  return (name, run) => {
    const failure = known[name];
    // Without the context of the runner: cases that a provider has no need of pass, as its capabilities say.
    if (failure === undefined) return declare(name, () => run());
    declare(`${name} (known to fail)`, async () => {
      await expect(run()).rejects.toThrow(failure);
    });
  };
}
