import { expect, it } from 'vitest';
import { BROKEN_ANSWERS, type BrokenAnswers } from './broken-answers.ts';
import { simulate } from './simulation.ts';

/** Searched when the seed that showed it last plays another history since. */
const MOST_SEEDS = 200;

/** A seed whose clients were told something that breaks a promise, and the promises. */
async function showing({ promises: _, shownBy, ...tampering }: BrokenAnswers) {
  for (const seed of new Set([shownBy, ...Array.from({ length: MOST_SEEDS }, (_, index) => index + 1)])) {
    const { violations } = (await simulate({ provider: 'google', seed, tampering })).report;
    if (violations.length > 0) return { seed, promises: [...new Set(violations.map(({ promise }) => promise))] };
  }
  return undefined;
}

it.each(Object.entries(BROKEN_ANSWERS))(
  'the log of the clients shows that %s',
  { timeout: 1_200_000 },
  async (name, broken) => {
    const shown = await showing(broken);
    process.stdout.write(`${name}: ${shown?.promises}, seed ${shown?.seed}\n`);
    expect(broken.promises).toEqual(expect.arrayContaining(shown?.promises ?? ['none']));
  },
);
