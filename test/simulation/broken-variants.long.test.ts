import { describe, expect, it } from 'vitest';
import { BROKEN_VARIANTS } from './broken-variants.ts';
import { type SimulationOptions, simulate } from './simulation.ts';

/** Searched when the seed that noticed last plays another history since. */
const MOST_SEEDS = 1_000;

/** A seed whose history shows that something is wrong: the first one, unless that which is played before it does. */
async function failingSeed(options: Omit<SimulationOptions, 'seed'>, playedFirst: number): Promise<number | undefined> {
  const all = Array.from({ length: MOST_SEEDS }, (_, index) => index + 1);
  for (const seed of new Set([playedFirst, ...all])) {
    if ((await simulate({ ...options, seed })).failures.length > 0) return seed;
  }
  return undefined;
}

describe.each(['google', 'microsoft'] as const)('the simulation of %s notices', (provider) => {
  it.each(Object.entries(BROKEN_VARIANTS))('%s', { timeout: 1_200_000 }, async (name, { noticedBy, ...tampering }) => {
    const seed = await failingSeed({ provider, tampering }, noticedBy[provider]);
    expect(seed, name).toBeLessThanOrEqual(MOST_SEEDS);
    process.stdout.write(`${provider}, ${name}: noticed by seed ${seed}\n`);
  });
});
