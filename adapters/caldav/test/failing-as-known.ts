import { expect } from 'vitest';

type Declare = (name: string, run: () => Promise<void>) => void;

/** Declares cases; those of the table must fail, and as it says: one that passes has to leave the table. */
export function failingAsKnown(declare: Declare, known: Readonly<Record<string, RegExp>>): Declare {
  return (name, run) => {
    const failure = known[name];
    if (failure === undefined) return declare(name, run);
    declare(`${name} (known to fail)`, async () => {
      await expect(run()).rejects.toThrow(failure);
    });
  };
}
