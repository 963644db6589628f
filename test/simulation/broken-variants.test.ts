import { describe, expect, it } from 'vitest';
import { BROKEN_VARIANTS } from './broken-variants.ts';
import { type SimulationOptions, simulate } from './simulation.ts';

const MOST_SEEDS = 500;

/** The first seed whose history shows that something is wrong. */
async function firstFailingSeed(options: Omit<SimulationOptions, 'seed'>): Promise<number | undefined> {
  for (let seed = 1; seed <= MOST_SEEDS; seed++) {
    if ((await simulate({ ...options, seed })).failures.length > 0) return seed;
  }
  return undefined;
}

describe.each(['google', 'microsoft'] as const)('the simulation of %s notices', (provider) => {
  it.each(Object.entries(BROKEN_VARIANTS))('%s', { timeout: 600_000 }, async (name, tampering) => {
    const seed = await firstFailingSeed({ provider, tampering });
    expect(seed, name).toBeLessThanOrEqual(MOST_SEEDS);
    process.stdout.write(`${provider}, ${name}: noticed by seed ${seed}\n`);
  });
});
